#pragma once

#include "http/transport/connection_table.hpp"
#include "http/transport/eviction_order.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// Closes connections of one event loop in favour of others, beginning with the longest waiting.
/// Loop thread only.
class connection_evictor {
public:
  /// A client that has stalled for less time is not cut in favour of another.
  static constexpr std::chrono::milliseconds stall_least{1'000};
  /// The most clients whose idle connections are kept in eviction order.
  static constexpr std::size_t idle_orders_limit = 16;
  /// In loops with more connection slots than this, looks for eviction candidates are spaced by
  /// `look_pause_per_slot`, so that they take about a tenth of the loop's time.
  static constexpr std::size_t free_look_slots = 4'096;
  static constexpr std::chrono::microseconds look_pause_per_slot{1};

  connection_evictor(connection_host& host, const connection_table& among) noexcept
      : host_{&host}, among_{&among} {}

  /// Closes the connection that has been idle longest. On the ops plane, if none of this loop is
  /// idle, closes the one whose request has been incomplete longest, or else the one whose client
  /// has received nothing of its answer for longest: slow clients must not keep health checks out.
  /// False: there is none.
  bool evict_idle();
  /// The same for connections of `client` that are idle; never closes `but`, which may be null.
  bool evict_idle_of(const model::ip_address& client, const connection* but);
  /// See `connection_host::make_room`.
  bool make_room(std::size_t bytes, const connection& but);
  /// Ends the TLS handshake that has been in progress longest, if there is one.
  void evict_handshake();

private:
  /// Applies `evict` to the candidates of `order` until it succeeds; refills the order with the
  /// connections for which `since_of` has a time. False where there is no candidate.
  template <class SinceOf>
  bool evict_next(eviction_order& order, SinceOf&& since_of, bool (connection::*evict)());
  template <class SinceOf>
  bool evict_idle(eviction_order& order, SinceOf&& since_of);
  using since_when = std::optional<base::steady_time> (connection::*)() const noexcept;
  /// Closes the connection, other than `but`, whose `since` is longest ago and at least
  /// `stall_least`.
  bool evict_stalled(eviction_order& order, since_when since, const connection* but);

  connection_host* host_;
  const connection_table* among_;
  eviction_order longest_idle_;
  eviction_order longest_unfinished_;
  eviction_order longest_blocked_;
  eviction_order longest_stalled_;
  eviction_order longest_handshaking_;
  /// For a few clients, in the order in which they reached their shares.
  std::vector<std::pair<model::ip_address, eviction_order>> idle_by_client_;
  base::steady_time next_look_;
};

} // namespace matchcloud::http
