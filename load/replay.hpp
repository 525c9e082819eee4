#pragma once

#include "load/requests/request_form.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// The requests of an access log, to be replayed at their times. Immutable once read; any thread.
struct replay_log {
  /// The limits on requests in a log and on rows in its results.
  static constexpr std::size_t requests_limit = 5'000'000;
  static constexpr std::size_t rows_limit = 30;
  static constexpr std::size_t file_limit_bytes = 1024UL * 1024 * 1024;

  struct entry {
    /// Since the first request, at the speed of the replay.
    std::chrono::nanoseconds at;
    /// The index in `requests`.
    std::uint32_t request;
    std::uint16_t row;
    /// The status that the reply must have; 0 means any below 500.
    std::uint16_t status;
  };
  struct request {
    std::string method;
    std::string target;
    std::string client;
  };

  /// Reads a log; `speed`: 2 halves the times between requests. Throws `base::failure` with
  /// `io_failed`, or with `config_invalid` if there is nothing to send.
  static replay_log read(const std::string& file, double speed);

  /// The bytes of the different requests.
  std::vector<request_bytes> bytes(const request_frame& frame) const;

  std::string file;
  double speed = 1;
  /// In the order of their times.
  std::vector<entry> entries;
  std::vector<request> requests;
  /// The names of the rows of the results: operations if the log names them, otherwise the method
  /// and the first two segments of the path, with `*` for ids. The last one is `others` if there
  /// are too many.
  std::vector<std::string> rows;
  /// The requests that are left out, as a sentence for people; empty if none are.
  std::string left_out;
};

} // namespace matchcloud::load
