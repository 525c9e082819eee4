#pragma once

#include <httplib.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// What an answer that is no success says for itself.
struct http_problem {
  int status = 0;
  /// Of a problem (RFC 9457) as this service makes them; empty where the answer is none.
  std::string code;
  /// For people and terminals: the problem's detail, code and request id, or just the status.
  std::string text;
};

http_problem read_problem(const httplib::Response& head, std::string_view body);

/// The seconds of a `Retry-After` header; nothing where there is none, or a date.
std::optional<std::chrono::seconds> retry_after(const httplib::Response& head);

/// What the `Content-Range` of a 206 says: bytes `begin` to before `end`, of `total`.
struct content_part {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t total = 0;

  friend bool operator==(const content_part&, const content_part&) = default;
};

/// Reads `bytes 5-9/10` (RFC 9110 section 14.4). Empty where it is anything else: no total, an end
/// before the beginning or behind the total.
std::optional<content_part> parse_content_part(std::string_view value) noexcept;

/// Whether an `ETag` is a strong one (RFC 9110 section 8.8.3), by which a download may resume.
bool is_strong_etag(std::string_view value) noexcept;

} // namespace matchcloud::app
