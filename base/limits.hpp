#pragma once

#include <chrono>
#include <cstddef>

namespace matchcloud::base {

/// Every bound of the data plane with its default. Set once from the configuration, then constant.
struct limits {
  std::size_t head_limit_bytes = 8 * 1024;
  std::size_t target_limit_bytes = 2 * 1024;
  std::size_t body_limit_bytes = 1024 * 1024;
  /// Connections of the whole process; also bounded by the hard RLIMIT_NOFILE.
  std::size_t connection_limit = 100'000;
  /// Of these, the percentage that one client address may have while over half are taken.
  std::size_t connection_share_percent = 25;
  /// Requests that wait for an actor, per event loop.
  std::size_t in_flight_limit = 4'096;
  /// Of these, per event loop, how many may wait for a validator, for the one of large bodies, for
  /// a region_ranking, a media actor, an avatar shard, the export and the download actor.
  std::size_t validator_mailbox = 4'096;
  std::size_t large_validator_mailbox = 256;
  std::size_t region_ranking_mailbox = 4'096;
  std::size_t media_mailbox = 4'096;
  std::size_t avatar_mailbox = 2'048;
  std::size_t lobby_export_mailbox = 1'024;
  std::size_t export_download_mailbox = 1'024;
  /// Restarts of an actor in `restart_window` that had handled nothing since the one before.
  std::size_t restart_intensity = 5;
  std::chrono::milliseconds restart_window{10'000};
  /// Request and response bytes of the whole process.
  std::size_t byte_budget_bytes = 512UL * 1024 * 1024;
  int listen_backlog = 4'096;
  /// From the first byte of a request to the end of its head.
  std::chrono::milliseconds head_timeout{10'000};
  /// From the end of the head to the end of the body.
  std::chrono::milliseconds body_timeout{30'000};
  /// Between requests.
  std::chrono::milliseconds idle_timeout{75'000};
  /// While the client takes no byte of an answer.
  std::chrono::milliseconds write_timeout{30'000};
  /// Bytes a second that it has to take of one besides, on average.
  std::size_t write_least_rate = 256;
  /// From a complete request to its answer.
  std::chrono::milliseconds request_timeout{10'000};
  /// Likewise for an export of lobby history, and from its begin to its end.
  std::chrono::milliseconds export_timeout{600'000};
  /// From SIGTERM to the end; idle connections close in its last third.
  std::chrono::milliseconds drain_timeout{15'000};
  /// Rendered region lists, per event loop.
  std::size_t ranking_cache_bytes = 64UL * 1024 * 1024;
  /// Rendered avatar lists, of the whole process.
  std::size_t avatar_cache_bytes = 256UL * 1024 * 1024;
  /// One game's rendered avatar list.
  std::size_t avatar_list_limit_bytes = 64UL * 1024 * 1024;
  /// What the store has acknowledged and not yet tidied away, while lobbies are ingested.
  std::size_t backlog_limit_bytes = 1024UL * 1024 * 1024;
  /// Image files kept open although nobody reads them, per event loop.
  std::size_t media_open_files = 256;
  /// Exports that run at once, each on a thread of low priority.
  std::size_t export_jobs = 2;
  /// Exports that wait for that.
  std::size_t export_queue = 64;
  /// Files of exports, all together.
  std::size_t export_limit_bytes = 16UL * 1024 * 1024 * 1024;
  /// From an export's answer to the end of its URL.
  std::chrono::milliseconds export_url_lifetime{3'600'000};
  /// Threads of the httplib transport, each bound to one connection.
  std::size_t httplib_threads = 64;
};

} // namespace matchcloud::base
