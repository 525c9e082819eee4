#pragma once

#include "actors/owner.hpp"
#include "base/metrics.hpp"
#include "http/wire/operation.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace matchcloud::http {

/// The statuses that this service answers with.
inline constexpr std::array<int, 24> known_statuses{200, 204, 206, 304, 400, 403, 404, 405,
                                                    408, 409, 411, 412, 413, 414, 415, 416,
                                                    417, 431, 500, 501, 503, 504, 505, 507};

/// What one transport (one event loop, or the httplib one) counts. Written by its threads, read by
/// the ops plane.
struct transport_metrics {
  /// Answers by operation and status; the last column is any status not in `known_statuses`.
  std::array<std::array<base::counter, known_statuses.size() + 1>, operation_count> answers;
  /// From the complete request to its answer.
  std::array<base::duration_histogram, operation_count> latency;
  base::gauge connections;
  base::counter connections_accepted;
  /// Closed in favour of others: idle ones of new connections, stalled ones of who needs memory.
  base::counter connections_evicted_idle;
  base::counter connections_evicted_stalled;
  /// Turned away because their address had its share.
  base::counter connections_refused;
  /// Requests admitted and not let go of; the permits count here.
  std::atomic<std::size_t> in_flight{0};
  /// Of these, those that wait for an owner, by `index_of` it; their permits count here.
  std::array<std::atomic<std::size_t>, actors::owner_count> at_owner{};
  /// Requests refused because as many waited for their owner as may, by its kind.
  std::array<base::counter, actors::owner_rows.size()> mailbox_full;
  /// Cheap requests refused to leave room for others, likewise.
  std::array<base::counter, actors::owner_rows.size()> shed;
  base::counter received_bytes;
  base::counter sent_bytes;
  /// Exchanges dispatched again because who held them died.
  base::counter redispatched;

  void count_answer(operation which, int status) noexcept {
    std::size_t column = 0;
    while (column < known_statuses.size() && known_statuses[column] != status)
      ++column;
    answers[static_cast<std::size_t>(which)][column].add();
  }
};

} // namespace matchcloud::http
