#pragma once

#include "base/config_row.hpp"

#include <chrono>
#include <cstddef>

namespace matchcloud::actors {

struct export_limits {
  /// Export jobs that run at the same time, and those that wait to run.
  std::size_t jobs_limit = 2;
  std::size_t queue_limit = 64;
  /// The limit on all export files.
  std::size_t files_limit_bytes = 16UL * 1024 * 1024 * 1024;
  /// The percentage of `queue_limit`, of the waiting requests and of `files_limit_bytes` that one
  /// game may take, at least 1 of each.
  std::size_t game_share_percent = 50;
  /// From an export's answer to the expiry of its URL.
  std::chrono::milliseconds url_lifetime{3'600'000};
};

inline base::config_rows<export_limits> export_keys() {
  using base::number_row;
  return {
      number_row("export-jobs", &export_limits::jobs_limit, 1, 64,
                 "Exports that run at once, each on a thread of the lowest priority."),
      number_row("export-queue", &export_limits::queue_limit, 0, 1'024,
                 "Exports that wait for one of export-jobs; beyond: 503. Requests for the same "
                 "export share one."),
      number_row("export-limit-bytes", &export_limits::files_limit_bytes, base::mebibyte,
                 base::tebibyte,
                 "Files of exports in the data directory, compressed and unfinished ones included; "
                 "beyond: 507, and files whose URL is still valid stay."),
      number_row("export-share-percent", &export_limits::game_share_percent, 1, 100,
                 "The share of export-queue, of the requests that wait for exports, and of "
                 "export-limit-bytes that one game may use; beyond: 503, or 507 for files. Games "
                 "take turns in the queue, whatever their share."),
      number_row("export-url-lifetime-ms", &export_limits::url_lifetime, 1'000, 86'400'000,
                 "How long the URL of an export is valid, and at least how long its file is kept."),
  };
}

} // namespace matchcloud::actors
