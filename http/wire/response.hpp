#pragma once

#include "base/error.hpp"
#include "base/open_file.hpp"
#include "http/wire/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace matchcloud::http {

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view problem_type = "application/problem+json";
/// Pages of every origin may read the answer.
inline constexpr std::string_view any_origin_header = "Access-Control-Allow-Origin: *\r\n";

/// Bytes of a file that others may share: sent from where they are, they cost no memory.
struct file_range {
  std::shared_ptr<const base::open_file> file;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Bytes that are put together where they are sent from, out of parts that several answers share.
struct assembled_body {
  std::shared_ptr<const void> parts;
  /// Appends the `size` bytes.
  void (*append)(const void* parts, std::string& out) = nullptr;
  std::size_t size = 0;
};

/// What an exchange is answered with. The transport adds `Date`, `Content-Length`, `X-Request-Id`
/// and `Connection`.
struct response {
  int status = 200;
  /// Empty without a body. Static storage.
  std::string_view content_type;
  /// Whole header lines with their line ends, of static storage.
  std::string_view fixed_headers;
  /// Whole header lines with their line ends.
  std::string headers;
  /// Owned bytes, shared immutable ones (a cached reply), those of several parts, or a part of a
  /// file. With a status that has no body it is what a success would have had: it is not sent.
  std::variant<std::string, std::shared_ptr<const std::string>, assembled_body, file_range> body;
  /// Whoever shares the body has taken its bytes from the budget: its readers need not.
  bool body_leased = false;

  /// Empty for a file's and for what is not put together yet.
  std::string_view body_bytes() const noexcept;
  std::uint64_t body_size() const noexcept;
  /// Those of `body_size` that are in memory, or will be: all but a file's.
  std::size_t memory_size() const noexcept;
  /// Appends the body, unless it is a file's.
  void append_body(std::string& out) const;
};

/// What the writer needs besides the response.
struct write_context {
  std::string_view request_id;
  /// IMF-fixdate (RFC 9110 section 5.6.7).
  std::string_view date;
  /// The connection stays open after this answer.
  bool keep_alive = true;
  bool http_1_0 = false;
};

/// RFC 9110 sections 8.6 and 15: what has no body has no length either.
bool has_body(int status) noexcept;

/// Appends status line and headers, empty line included, to `out`.
void write_head(std::string& out, const response& answer, const write_context& context);

/// The reason phrase of RFC 9110 section 15; `Unknown` for what this service never sends.
std::string_view reason_phrase(int status) noexcept;

/// The problem (RFC 9457) of an error, with its detail as `message` too, which is where clients of
/// this interface look for it; 503s carry `Retry-After`. Of an error that tells of the machine it
/// says so in general, unless its detail was written for clients: whoever made it logs it.
response problem(const base::error& what, std::string_view request_id);

/// The current date as IMF-fixdate.
std::string http_date(std::int64_t unix_seconds);

/// Whether a client's `X-Request-Id` is used: 1 to 128 of letters, digits and `-_.:/+=@`.
bool is_sane_request_id(std::string_view id) noexcept;

} // namespace matchcloud::http
