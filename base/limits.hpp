#pragma once

#include <chrono>
#include <cstddef>

namespace matchcloud::base {

/// Every bound of both planes with its default. Set once from the configuration, then constant.
struct limits {
  std::size_t head_limit_bytes = 8 * 1024;
  std::size_t target_limit_bytes = 2 * 1024;
  std::size_t body_limit_bytes = 1024 * 1024;
  /// Connections of the whole process; the hard RLIMIT_NOFILE bounds them too.
  std::size_t connection_limit = 100'000;
  /// The percentage of `connection_limit` that one client address may hold while more than half of
  /// the connections are taken.
  std::size_t connection_share_percent = 25;
  /// The connections that one client address may hold, and a sixteenth of what its IPv6 /48 may.
  std::size_t connections_per_address = 10'000;
  /// The length of the IPv6 prefix that counts as one client address.
  std::size_t ipv6_client_prefix = 64;
  /// Whether rate limits and `connections_per_address` hold for this machine's own addresses, too.
  bool limits_loopback = false;
  /// Requests that wait for an actor, per event loop.
  std::size_t in_flight_limit = 4'096;
  /// How many of the requests in flight may wait, per event loop, for each owner: a validator, the
  /// validator of large bodies, a region_ranking, a media actor, an avatar shard, the export actor
  /// and the download actor.
  std::size_t validator_mailbox = 4'096;
  std::size_t large_validator_mailbox = 256;
  std::size_t region_ranking_mailbox = 4'096;
  std::size_t media_mailbox = 4'096;
  std::size_t avatar_mailbox = 2'048;
  std::size_t lobby_export_mailbox = 1'024;
  std::size_t export_download_mailbox = 1'024;
  /// Requests of the ops plane that may wait for each of its owners. An ingest counts from its head
  /// to its answer, a watcher of the status until it leaves.
  std::size_t ingestion_mailbox = 256;
  /// While more than half of `ingestion_mailbox` is taken: the percentage of it that one token, or
  /// one address of clients without a token, may hold, and the bytes per second that an ingest must
  /// send on average.
  std::size_t ingest_share_percent = 25;
  std::size_t ingest_least_rate = 16UL * 1024;
  std::size_t administration_mailbox = 64;
  std::size_t fault_control_mailbox = 64;
  std::size_t reports_mailbox = 1'200;
  /// An actor is in a restart storm if it fails more than this many times within `restart_window`
  /// without having handled anything since the previous restart.
  std::size_t restart_intensity = 5;
  std::chrono::milliseconds restart_window{10'000};
  /// Bytes that all requests and responses of the process may hold.
  std::size_t byte_budget_bytes = 512UL * 1024 * 1024;
  int listen_backlog = 4'096;
  /// Connections of the ops plane, and bytes that its requests and responses may hold.
  std::size_t ops_connection_limit = 2'048;
  std::size_t ops_byte_budget_bytes = 128UL * 1024 * 1024;
  /// TLS handshakes in progress at once, on all loops of a plane together; beyond, the one that
  /// has been in progress longest ends for each new one.
  std::size_t tls_handshakes_limit = 2'048;
  /// From the start of a TLS connection to the end of its handshake.
  std::chrono::milliseconds tls_handshake_timeout{10'000};
  /// From the first byte of a request to the end of its head.
  std::chrono::milliseconds head_timeout{10'000};
  /// From the end of the head to the end of the body.
  std::chrono::milliseconds body_timeout{30'000};
  /// Bytes per second that a client must send of a streamed body on average, besides never pausing
  /// for `body_timeout`.
  std::size_t body_least_rate = 256;
  /// How long a connection may be idle between requests.
  std::chrono::milliseconds idle_timeout{75'000};
  /// How long a client may take no byte of a response.
  std::chrono::milliseconds write_timeout{30'000};
  /// Bytes per second that a client must take of a response on average, besides meeting
  /// `write_timeout`.
  std::size_t write_least_rate = 256;
  /// From a complete request to its answer.
  std::chrono::milliseconds request_timeout{10'000};
  /// From the last byte of an ingest of lobbies to its answer; also how long an ingest may wait for
  /// the store before it takes more bytes.
  std::chrono::milliseconds ingest_timeout{60'000};
  /// From a complete request for an export of lobby history to its answer; also bounds the run time
  /// of an export job.
  std::chrono::milliseconds export_timeout{600'000};
  /// From SIGTERM to the end of the process; idle connections are closed in its last third.
  std::chrono::milliseconds drain_timeout{15'000};
  /// Cache of rendered region lists, per event loop.
  std::size_t ranking_cache_bytes = 64UL * 1024 * 1024;
  /// Cache of rendered avatar lists, for the whole process.
  std::size_t avatar_cache_bytes = 256UL * 1024 * 1024;
  /// The longest rendered avatar list of one game.
  std::size_t avatar_list_limit_bytes = 64UL * 1024 * 1024;
  /// The size of the store's backlog (acknowledged but not yet tidied up) above which ingestion of
  /// lobbies is refused.
  std::size_t backlog_limit_bytes = 1024UL * 1024 * 1024;
  /// Image files kept open although no request reads them, per event loop.
  std::size_t media_open_files = 256;
  /// Exports that run at the same time, each on a thread of low priority.
  std::size_t export_jobs = 2;
  /// Exports that wait to run.
  std::size_t export_queue = 64;
  /// Total size of all export files.
  std::size_t export_limit_bytes = 16UL * 1024 * 1024 * 1024;
  /// The percentage of `export_queue`, of the requests that wait for exports, and of
  /// `export_limit_bytes` that one game may take.
  std::size_t export_share_percent = 50;
  /// From an export's answer to the expiry of its URL.
  std::chrono::milliseconds export_url_lifetime{3'600'000};
  /// Threads of the httplib transport, each bound to one connection.
  std::size_t httplib_threads = 64;
};

} // namespace matchcloud::base
