#pragma once

#include "model/net/ip_address.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::http {

enum class method : std::uint8_t { get, head, post, put, patch, del, options, other };

/// The methods' names, in the order of `method`; the name of `other` is empty.
inline constexpr std::array<std::string_view, 8> method_names{"GET",   "HEAD",   "POST",    "PUT",
                                                              "PATCH", "DELETE", "OPTIONS", ""};

constexpr std::string_view name_of(method which) noexcept {
  return method_names[static_cast<std::size_t>(which)];
}

/// The method that `token` names (case-sensitive, RFC 9110 section 9.1).
method parse_method(std::string_view token) noexcept;

/// The headers that a request stores. The framer checks all others and drops them.
enum class header : std::uint8_t {
  host,
  content_type,
  authorization,
  origin,
  x_request_id,
  x_forwarded_for,
  forwarded,
  accept,
  accept_encoding,
  access_control_request_method,
  access_control_request_headers,
  if_match,
  if_none_match,
  if_range,
  range,
  x_fault,
  sec_fetch_site,
  traceparent,
};
inline constexpr std::size_t header_count = 18;

/// The header with this name, ignoring case, or `header_count` if a request does not store it.
std::size_t find_header(std::string_view name) noexcept;

class request;
/// The id of the trace that a request belongs to: 32 hexadecimal digits; empty: none.
std::string_view trace_id_of(const request& of) noexcept;

/// Whether a header of this name, in any case, is one that proxies add.
bool is_proxy_header(std::string_view name) noexcept;

/// A cheaper check first: false for most names of other headers.
constexpr bool may_be_proxy_header(std::string_view name) noexcept {
  const auto first = name.front() | 0x20;
  return first == 'x' || first == 'v' || first == 'f';
}

/// Whether several lines of header `h` form one comma-separated list (RFC 9110 section 5.3). For
/// any other header, a second line is refused.
bool is_list_header(header h) noexcept;

/// One complete request, as the framer reads it from a connection's bytes. Written by one transport
/// thread, immutable once it is shared with actors.
class request {
public:
  http::method method = http::method::other;
  /// The method as sent, at most 32 bytes.
  std::string method_token;
  /// Path and query as sent, not decoded and beginning with `/`, or `*`. An absolute-form target
  /// has already lost its scheme and authority.
  std::string target;
  /// Whether the version is HTTP/1.0 rather than HTTP/1.1.
  bool http_1_0 = false;
  /// Whether the client wants the connection kept open (version default and `Connection` header).
  bool keep_alive = true;
  /// The body, decoded from its chunks; empty where it is streamed to the owner instead.
  std::string body;
  /// Whether a body follows that is streamed to the owner.
  bool body_follows = false;
  /// The address of the socket's peer, or the one that a PROXY header names.
  model::ip_address peer;
  /// The number of its connection, in the order in which they were opened.
  std::uint64_t connection = 0;
  /// Whether a header, or a PROXY header, shows that a proxy forwarded the request.
  bool through_proxy = false;
  /// Whether the connection is encrypted by TLS up to this process.
  bool is_secure = false;
  /// The subject of the client's certificate, which an authority of `ops-client-ca` signed; null if
  /// the client sent none.
  std::shared_ptr<const std::string> certificate_subject;
  /// The value of `X-Request-Id` in the response; the transport sets it before it shares the
  /// request.
  std::string id;

  bool has(header h) const noexcept { return (present_ >> static_cast<unsigned>(h)) & 1U; }
  /// The value without surrounding white space; empty where the header is absent.
  const std::string& get(header h) const noexcept { return values_[static_cast<std::size_t>(h)]; }
  void set(header h, std::string_view value);
  /// Adds one line of a list header, separated by `, ` from those before it.
  void append(header h, std::string_view value);

  /// The memory of the body in bytes; 0 if the body is empty.
  std::size_t body_capacity() const noexcept { return body.empty() ? 0 : body.capacity(); }

  /// The part of `target` before the query.
  std::string_view path() const noexcept;
  /// The part of `target` after the first `?`; empty where there is none.
  std::string_view query() const noexcept;

  /// Resets this to a fresh request, for reuse. Each string keeps its memory up to `retain_bytes`.
  void clear(std::size_t retain_bytes);

private:
  std::uint32_t present_ = 0;
  std::array<std::string, header_count> values_;
};

/// A parameter of a request's query (`name=value`, separated by `&`).
struct query_parameter {
  /// The value as written, not decoded; the first value if several parameters have this name,
  /// absent if none has.
  std::optional<std::string_view> value;
  /// The query has more than one parameter of this name.
  bool repeated = false;
};

/// Finds the parameter whose name is written exactly as `name`, without decoding. O(query).
inline query_parameter find_parameter(std::string_view query, std::string_view name) noexcept {
  query_parameter found;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto part = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (part.substr(0, part.find('=')) != name) continue;
    if (found.value) {
      found.repeated = true;
      break;
    }
    found.value = part.substr(std::min(name.size() + 1, part.size()));
  }
  return found;
}

/// Whether an `Accept-Encoding` accepts gzip (RFC 9110 section 12.5.3): it names `gzip` or
/// `x-gzip`, or has `*`, with a weight above 0. A coding with a malformed weight is not accepted.
/// O(value).
bool accepts_gzip(std::string_view accept_encoding) noexcept;
/// The same for the header of a request.
bool accepts_gzip(const request& by) noexcept;

/// Whether a client's `X-Request-Id` is acceptable: 1 to 128 letters, digits and `-_.:/+=@`.
bool is_sane_request_id(std::string_view id) noexcept;

/// Gives each request its id: the client's `X-Request-Id` where it is sane, otherwise 32
/// hexadecimal digits: 16 for this source, 16 of a counter. Used by one thread.
class request_id_source {
public:
  /// `seed` makes the ids of this source differ from all others'.
  explicit request_id_source(std::uint64_t seed) noexcept;

  void assign(request& to);
  std::string next();

private:
  void set_next(std::string& id);

  std::array<char, 16> seed_;
  std::uint64_t count_ = 0;
};

} // namespace matchcloud::http
