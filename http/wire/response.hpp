#pragma once

#include "base/error.hpp"
#include "base/files/open_file.hpp"
#include "http/wire/request.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace matchcloud::http {

namespace detail {

template <const std::string_view&... parts>
inline constexpr auto joined_bytes = [] {
  std::array<char, (parts.size() + ...)> bytes{};
  auto* to = bytes.data();
  ((to = std::copy(parts.begin(), parts.end(), to)), ...);
  return bytes;
}();

} // namespace detail

/// The concatenation of `parts`, constants of a namespace. Made at compile time; has static storage
/// duration.
template <const std::string_view&... parts>
inline constexpr std::string_view joined{detail::joined_bytes<parts...>.data(),
                                         detail::joined_bytes<parts...>.size()};

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view problem_type = "application/problem+json";
/// The header line that lets pages read more of a response than what Fetch lets them read anyway
/// ("CORS-safelisted response-header name"): all that the service sends and a page may need. Names
/// instead of `*`, which browsers of 2022 and before do not know.
inline constexpr std::string_view exposed_headers =
    "Access-Control-Expose-Headers: Accept-Ranges, Allow, Content-Disposition, Content-Encoding, "
    "Content-Range, Date, ETag, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, "
    "X-Request-Id\r\n";
inline constexpr std::string_view any_origin_header = "Access-Control-Allow-Origin: *\r\n";
/// The header lines that let web pages of every origin read the response.
inline constexpr auto any_origin_headers = joined<any_origin_header, exposed_headers>;

/// The header line that keeps the response out of caches.
inline constexpr std::string_view no_store_header = "Cache-Control: no-store\r\n";

/// A range of a file that several responses may share. Its bytes are sent from the file and take no
/// memory.
struct file_range {
  std::shared_ptr<const base::open_file> file;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// A body that the transport assembles when it sends it, from parts that several responses share.
struct assembled_body {
  std::shared_ptr<const void> parts;
  /// Appends the body, exactly `size` bytes, to `out`.
  void (*append)(const void* parts, std::string& out) = nullptr;
  std::size_t size = 0;
};

/// A body that its owner sends in parts after the head. It is chunked; for an HTTP/1.0 request, it
/// ends with the connection.
struct body_in_parts {};

/// The answer to an exchange. The transport adds `Date`, `Content-Length`, `X-Request-Id`,
/// `Connection`, and `X-Content-Type-Options` where there is content.
struct response {
  int status = 200;
  /// Set if the answer is a problem.
  std::optional<base::errc> problem = {};
  /// Empty if there is no body. Must have static storage duration.
  std::string_view content_type;
  /// Complete header lines with their line ends. Must have static storage duration.
  std::string_view fixed_headers;
  /// Complete header lines with their line ends, written after `fixed_headers`.
  std::string headers;
  /// Owned bytes, shared immutable bytes (a cached reply), bytes to be assembled, a range of a
  /// file, or parts. It is not sent with a status that has no body, such as 304, where it may hold
  /// the body that a 200 would have had.
  std::variant<std::string, std::shared_ptr<const std::string>, assembled_body, file_range,
               body_in_parts>
      body;
  /// Whether the owner of a shared body has already leased its bytes from the byte budget, so that
  /// the transport must not lease them again for this response.
  bool body_leased = false;

  /// The bytes of an owned or shared body; empty for a file range and for an `assembled_body`.
  std::string_view body_bytes() const noexcept;
  std::uint64_t body_size() const noexcept;
  /// How many bytes of the body take memory, now or once assembled: all, or 0 for a file range.
  std::size_t memory_size() const noexcept;
  /// Appends the body to `out`, unless it is a file range.
  void append_body(std::string& out) const;
};

/// What the writer needs besides the response.
struct write_context {
  std::string_view request_id;
  /// The current time as IMF-fixdate (RFC 9110 section 5.6.7).
  std::string_view date;
  /// Whether the connection stays open after this response.
  bool keep_alive = true;
  bool http_1_0 = false;
  /// Whether pages of other origins must not load the content, not even without reading it.
  bool is_for_own_pages = false;
};

/// Whether a response with this status has a body, and therefore a `Content-Length` (RFC 9110
/// sections 8.6 and 15).
bool has_body(int status) noexcept;

/// Appends the status line and the headers, including the empty line after them, to `out`.
void write_head(std::string& out, const response& answer, const write_context& context);

/// The reason phrase of RFC 9110 section 15; `Unknown` for a status that this service never sends.
std::string_view reason_phrase(int status) noexcept;

/// How a problem identifies the request that it answers.
struct problem_subject {
  /// Its `X-Request-Id`.
  std::string_view request_id;
  /// The id of the trace that it belongs to; empty: none.
  std::string_view trace_id = {};
};
inline problem_subject subject_of(const request& of) noexcept {
  return {of.id, trace_id_of(of)};
}

/// The problem (RFC 9457) for an error. The detail is repeated as `message`, where clients of this
/// interface look for it. Every 503 but `store_newer` carries `Retry-After`: it is safe to retry,
/// here or at another replica. For an error that would disclose something about this machine
/// (`base::is_local_failure`), the detail is a general sentence unless it was written for clients;
/// the code that created the error logs the real one. Tokens in the detail are left out.
/// `violated_policy`: the rate limit that the request exceeds.
response problem(const base::error& what, const problem_subject& of,
                 std::string_view violated_policy = {});

/// Formats a time as IMF-fixdate (RFC 9110 section 5.6.7).
std::string http_date(std::int64_t unix_seconds);

} // namespace matchcloud::http
