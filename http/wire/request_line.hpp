#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string_view>

namespace matchcloud::http {

/// A request line's parts, as views of the line.
struct request_line {
  std::string_view method;
  /// Of an absolute-form target: what stands for the Host header; else empty.
  std::string_view authority;
  /// The target without scheme and authority: begins with `/` or `?`, is `*`, or is empty (an
  /// absolute form without a path).
  std::string_view target;
  bool http_1_0 = false;
};

/// Reads `METHOD SP TARGET SP HTTP/1.x` (RFC 9112 section 3), without its line end. One SP each, no
/// white space around. A minor version over 1 is read as 1.1 (RFC 9110 section 2.5). The first of
/// these that applies is the error: method, target over `target_limit_bytes` (as sent), version
/// missing or malformed, major version other than 1, the method CONNECT, target malformed.
base::expected<request_line> parse_request_line(std::string_view line,
                                                std::size_t target_limit_bytes);

/// Whether the target of an unfinished request line is over the limit already.
bool target_overruns(std::string_view unfinished_line, std::size_t target_limit_bytes) noexcept;

/// Whether `text` is `uri-host [":" port]` with a host (RFC 9110 section 7.2).
bool is_authority(std::string_view text) noexcept;

} // namespace matchcloud::http
