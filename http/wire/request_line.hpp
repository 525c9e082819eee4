#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string_view>

namespace matchcloud::http {

/// The parts of a request line, as views into the line.
struct request_line {
  std::string_view method;
  /// The authority of an absolute-form target, which replaces the Host header; otherwise empty.
  std::string_view authority;
  /// The target without scheme and authority: it begins with `/` or `?`, is `*`, or is empty (an
  /// absolute form without a path).
  std::string_view target;
  bool http_1_0 = false;
};

/// Reads `METHOD SP TARGET SP HTTP/1.x` (RFC 9112 section 3), given without its line end. The parts
/// are separated by exactly one SP and not surrounded by white space. A minor version over 1 is
/// read as 1.1 (RFC 9110 section 2.5). If several things are wrong, the error is the first of:
/// method, target over `target_limit_bytes` (as sent), target missing, version missing or
/// malformed, major version other than 1, the method CONNECT, target malformed.
base::expected<request_line> parse_request_line(std::string_view line,
                                                std::size_t target_limit_bytes);

/// Whether the target of an unfinished request line is already over the limit.
bool target_overruns(std::string_view unfinished_line, std::size_t target_limit_bytes) noexcept;

/// Whether `text` is `uri-host [":" port]` with a host (RFC 9110 section 7.2).
bool is_authority(std::string_view text) noexcept;

} // namespace matchcloud::http
