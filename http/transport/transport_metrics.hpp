#pragma once

#include "base/metrics.hpp"
#include "base/owner.hpp"
#include "http/operations/list.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace matchcloud::http {

/// The statuses that this service answers with.
inline constexpr std::array known_statuses{200, 201, 204, 206, 304, 307, 400, 401, 403,
                                           404, 405, 408, 409, 412, 413, 414, 415, 416,
                                           417, 429, 431, 500, 501, 503, 504, 505, 507};

/// Why a request was not let in; the names in metrics are in the same order.
enum class access_refusal : std::uint8_t {
  token_missing,
  token_malformed,
  token_unknown,
  token_expired,
  token_revoked,
  not_permitted,
};
inline constexpr std::array<std::string_view, 6> access_refusal_names{
    "token_missing", "token_malformed", "token_unknown",
    "token_expired", "token_revoked",   "not_permitted"};

/// Whose requests a rate limit counts: an address's (of IPv6 its prefix), a /48's, a token's.
enum class limited_subject : std::uint8_t { address, network, token };
inline constexpr std::array<std::string_view, 3> limited_subject_names{"address", "network",
                                                                       "token"};

/// How a TLS handshake ended: a new session, or one resumed by its ticket; broken off by either
/// side or not TLS at all; not done in time; ended in favour of another; not begun, because its
/// client is over its rate limit. The names in metrics are in the same order.
enum class handshake_end : std::uint8_t { full, resumed, failed, timed_out, evicted, refused };
inline constexpr std::array<std::string_view, 6> handshake_end_names{
    "full", "resumed", "failed", "timed_out", "evicted", "refused"};

/// The counters of one transport (of one event loop, or the httplib one). Written by its threads,
/// read by the ops plane.
struct transport_metrics {
  /// Answers by operation and status; the last column is any status not in `known_statuses`.
  std::array<std::array<base::counter, known_statuses.size() + 1>, operation_count> answers;
  /// From when the last bytes of the request could be read to its answer.
  std::array<base::duration_histogram, operation_count> latency;
  base::gauge connections;
  base::counter connections_accepted;
  /// Connections closed in favour of others: idle ones for new connections, stalled ones for
  /// requests that need memory.
  base::counter connections_evicted_idle;
  base::counter connections_evicted_stalled;
  /// Connections turned away because their client address had its full share.
  base::counter connections_refused;
  /// Connections that were read more slowly, because rate limits refused many requests in a row.
  base::counter connections_slowed;
  /// How often a client had its share of the requests in service, so that its next one waited.
  base::counter clients_held;
  /// Requests admitted and not yet released; their permits count here.
  std::atomic<std::size_t> in_flight{0};
  /// Requests in flight that wait for an owner, by its `index_of`; their permits count here.
  std::array<std::atomic<std::size_t>, base::owner_count> at_owner{};
  /// Requests refused because their owner's mailbox was full, by their owner.
  std::array<base::counter, base::owner_count> mailbox_full;
  /// Cheap requests refused to leave room for others, by their owner.
  std::array<base::counter, base::owner_count> shed;
  /// Requests that were not let in, by `access_refusal`.
  std::array<base::counter, access_refusal_names.size()> access_refused;
  /// Requests over a rate limit, by whose limit it is and by cost class.
  std::array<std::array<base::counter, cost_class_names.size()>, limited_subject_names.size()>
      rate_limited;
  /// TLS handshakes that ended, by `handshake_end`, and those in progress.
  std::array<base::counter, handshake_end_names.size()> handshakes;
  base::gauge handshaking;
  /// TLS connections that their peer ended without saying so (close_notify), so that the end may be
  /// an attacker's.
  base::counter tls_truncated;
  base::counter received_bytes;
  base::counter sent_bytes;
  /// Exchanges dispatched again because the actor that held them died.
  base::counter redispatched;

  void count_answer(operation which, int status) noexcept {
    std::size_t column = 0;
    while (column < known_statuses.size() && known_statuses[column] != status)
      ++column;
    answers[static_cast<std::size_t>(which)][column].add();
  }
};

} // namespace matchcloud::http
