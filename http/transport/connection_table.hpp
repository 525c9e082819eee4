#pragma once

#include "actors/request/messages.hpp"
#include "base/check.hpp"
#include "http/transport/connection.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// The connections of one event loop, each in a slot, which references to its exchanges name. Slots
/// are reused; a generation tells a slot's connections apart. Loop thread only, except `size`.
class connection_table {
public:
  /// The number of connections; those that closed in this turn count until it ends. Any thread.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  std::size_t slot_count() const noexcept { return slots_.size(); }
  /// The connection in a slot; null: none.
  connection* in(std::uint32_t index) const noexcept { return slots_[index].held.get(); }
  /// The connection whose current exchange, and attempt, is `ref`; null: none.
  connection* current(actors::exchange_ref ref) const noexcept {
    const auto index = static_cast<std::uint32_t>(ref.exchange >> 32U);
    if (index >= slots_.size()) return nullptr;
    auto* held = in(index);
    return held != nullptr && held->is_current(ref) ? held : nullptr;
  }

  /// Puts the connection that `make(index, generation)` returns into a free slot.
  template <class Make>
  connection& add(Make&& make) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const auto index = free_.back();
    free_.pop_back();
    auto& into = slots_[index];
    into.held = make(index, into.generation);
    size_.fetch_add(1, std::memory_order_relaxed);
    return *into.held;
  }

  /// The connection is closed: `drop_closed` destroys it and frees its slot.
  void note_closed(const connection& which) {
    base::check(in(which.slot()) == &which, "a connection closes in its slot");
    closed_.push_back(which.slot());
  }
  /// Not within a call of a connection. False: none had closed.
  bool drop_closed() {
    if (closed_.empty()) return false;
    for (const auto index : closed_) {
      auto& each = slots_[index];
      each.generation = each.held->generation();
      each.held.reset();
      free_.push_back(index);
    }
    size_.fetch_sub(closed_.size(), std::memory_order_relaxed);
    closed_.clear();
    return true;
  }

  /// Calls `visit` with each connection, by slot. It may close connections.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& each : slots_)
      if (each.held) visit(*each.held);
  }

private:
  struct slot {
    std::unique_ptr<connection> held;
    /// The last generation that a connection here has used.
    std::uint32_t generation = 0;
  };

  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> closed_;
  std::atomic<std::size_t> size_{0};
};

/// Connections of one loop in the order in which they are closed when a resource is short. The
/// order is made by one look at all connections and then used up, so it costs nothing until it is
/// needed. Connections that became candidates after the look come later than those in the order.
class eviction_order {
public:
  /// The most connections in one order.
  static constexpr std::size_t length_limit = 256;
  /// A look that finds fewer than one candidate per this many connections is not repeated for
  /// `look_pause`. This bounds the cost of looks for each new connection.
  static constexpr std::size_t looks_per_eviction = 512;
  static constexpr std::chrono::milliseconds look_pause{50};

  struct candidate {
    base::steady_time since;
    std::uint32_t slot = 0;
  };

  /// The next candidate, longest first; nothing if a new look is needed.
  std::optional<candidate> next();
  bool may_look(base::steady_time now) const noexcept { return now >= look_at_; }
  /// Fills the order with the candidates found among `looked_at` connections.
  void fill(std::vector<candidate> all, std::size_t looked_at, base::steady_time now);

private:
  /// In reverse order: the next candidate is last.
  std::vector<candidate> order_;
  base::steady_time look_at_;
};

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
  void evict_handshake() { evict(eviction::handshake); }

private:
  bool evict(eviction why, const connection* but = nullptr);
  /// Closes the next connection of `order`, other than `but`, of `client` if that is not null;
  /// refills the order where it is used up. False where there is no candidate.
  bool evict(eviction why, eviction_order& order, const connection* but,
             const model::ip_address* client);

  connection_host* host_;
  const connection_table* among_;
  std::array<eviction_order, eviction_count> orders_;
  /// For a few clients, in the order in which they reached their shares.
  std::vector<std::pair<model::ip_address, eviction_order>> idle_by_client_;
  base::steady_time next_look_;
};

} // namespace matchcloud::http
