#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// Where requests go and what all of them contain.
struct request_frame {
  /// The value of the Host header.
  std::string authority;
  /// The prefix of each path; does not end with a slash.
  std::string base_path;
  /// Further header lines, `Name: value`.
  std::vector<std::string> header_lines;
  /// Whether each connection carries one request only (`Connection: close`).
  bool closes = false;
  /// Whether each connection puts its bearer token into its requests.
  bool has_token = false;
};

/// A request as it is sent.
struct request_bytes {
  std::string text;
  /// The offset at which the connection's token is to be inserted; 0: none is.
  std::size_t token_at = 0;
};

/// A request's first lines: the request line with `target` as it is, `Host`, and what the frame
/// has for all requests. Each line has its end; the empty line is not there yet.
request_bytes begin_request(const request_frame& frame, std::string_view method,
                            std::string_view target);

} // namespace matchcloud::load
