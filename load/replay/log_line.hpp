#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::load {

/// One request of an access log.
struct logged_request {
  /// When the request arrived, in microseconds since 1970. A combined log has only the whole second
  /// of the response.
  std::int64_t at_us = 0;
  bool is_whole_second = false;
  /// The client's address; empty if the log has none.
  std::string client;
  std::string method;
  /// Path and query.
  std::string target;
  int status = 0;
  /// The name of the service's operation; empty if the log has none.
  std::string operation;
  /// Whether it was a request to the ops plane, which has its own listener.
  bool is_of_ops_plane = false;
};

/// Reads a line of the service's access log in JSON, or in the combined format, which Apache and
/// nginx write too. Nothing if it is neither.
std::optional<logged_request> parse_log_line(std::string_view line);

} // namespace matchcloud::load
