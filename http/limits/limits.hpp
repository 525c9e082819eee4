#pragma once

#include "base/config_row.hpp"
#include "base/owner.hpp"

#include <chrono>
#include <cstddef>

namespace matchcloud::http {

/// The bounds of both planes with their defaults. Set once from the configuration (the keys below
/// say what each is for), then constant.
struct limits {
  std::size_t head_limit_bytes = 8 * 1024;
  std::size_t target_limit_bytes = 2 * 1024;
  std::size_t body_limit_bytes = 1024 * 1024;
  /// Connections of the whole process; the hard RLIMIT_NOFILE bounds them too.
  std::size_t connection_limit = 100'000;
  /// The percentage of `connection_limit` that one client address may hold while more than half of
  /// the connections are taken.
  std::size_t connection_share_percent = 25;
  /// The connections that one client address may hold. An IPv6 /48 may hold 16 times as many.
  std::size_t connections_per_address = 10'000;
  /// The length of the IPv6 prefix that counts as one client address.
  std::size_t ipv6_client_prefix = 64;
  /// Whether rate limits and `connections_per_address` apply to this machine's own addresses too.
  bool limits_loopback = false;
  /// Requests that may wait for an actor: per event loop, and for each owner.
  std::size_t in_flight_limit = 4'096;
  base::mailbox_limits mailboxes = base::default_mailboxes;
  /// Bytes that all requests and responses of the process may hold.
  std::size_t byte_budget_bytes = 512UL * 1024 * 1024;
  int listen_backlog = 4'096;
  /// Connections of the ops plane, and bytes that its requests and responses may hold.
  std::size_t ops_connection_limit = 2'048;
  std::size_t ops_byte_budget_bytes = 128UL * 1024 * 1024;
  /// TLS handshakes in progress at once, on all loops of a plane together. Beyond that, each new
  /// one ends the one that has been in progress longest.
  std::size_t tls_handshakes_limit = 2'048;
  /// From the start of a TLS connection to the end of its handshake.
  std::chrono::milliseconds tls_handshake_timeout{10'000};
  /// From the first byte of a request to the end of its head.
  std::chrono::milliseconds head_timeout{10'000};
  /// From the end of the head to the end of the body.
  std::chrono::milliseconds body_timeout{30'000};
  /// Bytes per second that a client must send of a streamed body on average. In addition, it must
  /// not pause for `body_timeout`.
  std::size_t body_least_rate = 256;
  /// How long a connection may be idle between requests.
  std::chrono::milliseconds idle_timeout{75'000};
  /// How long a client may receive no byte of a response.
  std::chrono::milliseconds write_timeout{30'000};
  /// Bytes per second that a client must receive of a response on average, in addition to meeting
  /// `write_timeout`.
  std::size_t write_least_rate = 256;
  /// From a complete request to its answer.
  std::chrono::milliseconds request_timeout{10'000};
  /// From the last byte of an ingest of lobbies to its answer; also how long an ingest may wait for
  /// the store before it accepts more bytes.
  std::chrono::milliseconds ingest_timeout{60'000};
  /// From a complete request for an export of lobby history to its answer; also bounds the run time
  /// of an export job.
  std::chrono::milliseconds export_timeout{600'000};

  /// How many requests may wait for an owner.
  std::size_t& mailbox(base::owner of) noexcept { return mailboxes[index_of(of)]; }
  std::size_t mailbox(base::owner of) const noexcept { return mailboxes[index_of(of)]; }
};

/// Keys for requests, connections and their memory.
base::config_rows<limits> limit_keys();
base::config_rows<limits> timeout_keys();
/// Keys for the requests that may wait for actors.
base::config_rows<limits> mailbox_keys();
/// Keys for what counts as one client.
base::config_rows<limits> client_keys();

} // namespace matchcloud::http
