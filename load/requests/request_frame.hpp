#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// The destination of requests and what all of them contain.
struct request_frame {
  /// The value of the Host header.
  std::string authority;
  /// The prefix of each path; does not end with a slash.
  std::string base_path;
  /// Further header lines, `Name: value`.
  std::vector<std::string> header_lines;
  /// Whether each connection carries only one request (`Connection: close`).
  bool closes = false;
  /// Whether each connection adds its bearer token to its requests.
  bool has_token = false;
};

/// The bytes of a request.
struct request_bytes {
  std::string text;
  /// The offset at which to insert the connection's token; 0: no token.
  std::size_t token_at = 0;
};

/// A request's first lines: the request line with `target` as it is, `Host`, and the frame's lines
/// for all requests. Each line has its line end; the final empty line is missing.
request_bytes begin_request(const request_frame& frame, std::string_view method,
                            std::string_view target);

} // namespace matchcloud::load
