#pragma once

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// Limit for the nesting of the JSON of an answer.
inline constexpr std::size_t answer_depth_limit = 8;

/// The content of an unsuccessful answer.
struct http_problem {
  int status = 0;
  /// The code of a problem (RFC 9457) as this service writes it; empty if the body is not a
  /// problem.
  std::string code;
  /// Text for people, safe for terminals: the problem's detail, code and request id, or the status
  /// alone.
  std::string text;
};

http_problem read_problem(const httplib::Response& head, std::string_view body);

/// The seconds of a `Retry-After` header; empty if the header is absent or a date.
std::optional<std::chrono::seconds> retry_after(const httplib::Response& head);

/// The `Location` header as the server sent it. Some versions of cpp-httplib decode
/// percent-encoding in headers; this encodes again what matters in a signed URL: characters that no
/// URL contains, and `+`, which many read as a space.
std::string location_of(const httplib::Response& head);

/// Whether an `ETag` is strong (RFC 9110 section 8.8.3), as resuming a download requires.
bool is_strong_etag(std::string_view value) noexcept;

} // namespace matchcloud::app
