#pragma once

#include "http/transport/exchange.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// The number of lanes that clients are spread over. More make it rarer that two clients share one,
/// which then share a turn; fewer take less memory.
inline constexpr std::size_t client_lane_count = 1'024;
/// Each client has two, see `long_lane_of`.
inline constexpr std::size_t lane_count = 2 * client_lane_count;

/// Which lane a client waits in: a keyed hash of it, so that nobody can choose whom to share with.
using lane = std::uint16_t;
static_assert(lane_count - 1 <= std::numeric_limits<lane>::max());

constexpr lane lane_of(std::uint64_t hash) noexcept {
  return static_cast<lane>(hash % client_lane_count);
}
/// The secret by which clients are spread over lanes.
using lane_key = std::array<std::uint64_t, 5>;

/// Multilinear hashing (M. Thorup, High Speed Hashing for Integers and Strings): to clients that do
/// not know the key, any two addresses share a lane with a chance of one in `client_lane_count`.
inline lane lane_of(const lane_key& key, const std::array<std::uint8_t, 16>& address) noexcept {
  const auto words = std::bit_cast<std::array<std::uint32_t, 4>>(address);
  auto sum = key[words.size()];
  for (std::size_t i = 0; i < words.size(); ++i)
    sum += key[i] * words[i];
  // Only the high bits depend on all of the key.
  return lane_of(sum >> (64 - std::bit_width(client_lane_count - 1)));
}

/// The lane in which requests that take long wait, so that others of their client pass them.
constexpr lane long_lane_of(lane client) noexcept {
  return static_cast<lane>(client % client_lane_count + client_lane_count);
}

/// Items that wait for their turn. Each lane is first in, first out, and the lanes that have any
/// take turns (stochastic fairness queuing: McKenney, INFOCOM 1990). So how long one client waits
/// does not depend on how much others have queued, only on how many others there are. Every call
/// takes constant time, except the first ones, which allocate. One thread.
template <class Item>
class fair_queue {
public:
  struct entry {
    lane from = 0;
    Item item{};
  };

  bool is_empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }

  void push(lane into, Item item) {
    const auto index = take_node();
    nodes_[index].item = std::move(item);
    auto& to = lanes_[into];
    if (to.first == none)
      to.first = index;
    else
      nodes_[to.last].next = index;
    to.last = index;
    ++size_;
    queue_lane(into);
  }

  /// The next item; nothing where there is none, or none in a lane that is not held back.
  std::optional<entry> pop() {
    while (ring_first_ != none) {
      const auto from = static_cast<lane>(ring_first_);
      auto& of = lanes_[from];
      ring_first_ = of.next;
      of.is_queued = false;
      if (of.is_held || of.first == none) continue;
      const auto index = of.first;
      of.first = nodes_[index].next;
      --size_;
      queue_lane(from);
      entry next{from, std::move(nodes_[index].item)};
      nodes_[index] = {Item{}, std::exchange(free_, index)};
      return next;
    }
    return std::nullopt;
  }

  /// From now on `pop` skips the lane, until `release`.
  void hold(lane which) noexcept { lanes_[which].is_held = true; }
  /// True: something waits in the lane, and `pop` can return it now.
  bool release(lane which) noexcept {
    auto& of = lanes_[which];
    of.is_held = false;
    queue_lane(which);
    return of.first != none;
  }

  /// Forgets all items. Lanes that are held back stay so.
  void clear() {
    for (auto& each : lanes_) {
      each.first = none;
      each.is_queued = false;
    }
    nodes_.clear();
    free_ = none;
    ring_first_ = none;
    size_ = 0;
  }

private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct node {
    Item item{};
    std::uint32_t next = none;
  };
  struct lane_state {
    std::uint32_t first = none;
    std::uint32_t last = none;
    /// The lane after this one in the ring.
    std::uint32_t next = none;
    /// In the ring.
    bool is_queued = false;
    bool is_held = false;
  };

  std::uint32_t take_node() {
    if (free_ == none) {
      nodes_.emplace_back();
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const auto index = free_;
    free_ = std::exchange(nodes_[index].next, none);
    return index;
  }

  /// Puts a lane with items at the end of the ring, unless it is in the ring.
  void queue_lane(lane which) noexcept {
    auto& of = lanes_[which];
    if (of.is_queued || of.is_held || of.first == none) return;
    of.is_queued = true;
    of.next = none;
    if (ring_first_ == none)
      ring_first_ = which;
    else
      lanes_[ring_last_].next = which;
    ring_last_ = which;
  }

  std::vector<node> nodes_;
  std::vector<lane_state> lanes_ = std::vector<lane_state>(lane_count);
  std::uint32_t free_ = none;
  std::uint32_t ring_first_ = none;
  std::uint32_t ring_last_ = none;
  std::size_t size_ = 0;
};

/// The requests of one event loop that its front has not taken, and how much of each client's work
/// is in service: taken by a front, a validator or a ranking, and not yet answered. Clients take
/// turns, and each client's work in service is bounded. So its requests wait here, where clients
/// take turns, and not in an actor's mailbox, where others would queue behind them. Requests that
/// wait for a disk or a database are not counted: they take no actor's time, and must not hold up
/// the client's other requests. A client is a `lane`; its payloads that take long have another one.
/// Loop thread only.
class request_queue {
public:
  /// What a lane may have in service, in units of `units_of`. Enough for a batch of small requests
  /// to be in the mailboxes at once, and for four that cost a loop 50 us or more.
  static constexpr std::uint32_t units_in_service_limit = 64;
  /// The most units that one request counts.
  static constexpr std::uint32_t units_limit = units_in_service_limit / 4;
  /// A request counts one unit, and one more for each `body_bytes_per_unit` of its body.
  static constexpr std::size_t body_bytes_per_unit = 512;
  /// A client may have 1/`client_part` of the requests in flight, taken or not, once half of the
  /// places are in use.
  static constexpr std::size_t client_part = 4;

  static constexpr std::uint32_t units_of(std::size_t body_bytes) noexcept {
    const auto units = 1 + body_bytes / body_bytes_per_unit;
    return units < units_limit ? static_cast<std::uint32_t>(units) : units_limit;
  }

  /// Counts one more request of the client. False, and not counted: with `open_now` requests open
  /// of at most `limit`, the client already has its part.
  bool enter(lane client, std::size_t open_now, std::size_t limit) noexcept {
    auto& open = open_[client];
    if (open_now > limit / 2 && open >= limit / client_part) return false;
    ++open;
    return true;
  }
  /// A counted request was answered, or its client is gone.
  void leave(lane client) noexcept { --open_[client]; }

  void push(lane client, dispatch request) { waiting_.push(client, std::move(request)); }
  void clear() { waiting_.clear(); }

  /// The next request, of a client that may have another in service. Call `begin_service` for it.
  std::optional<fair_queue<dispatch>::entry> take() { return waiting_.pop(); }
  /// `units` more of the client are in service. True: no more of its requests are taken for now.
  bool begin_service(lane client, std::uint32_t units) noexcept {
    auto& used = in_service_[client];
    used += units;
    if (used < units_in_service_limit) return false;
    waiting_.hold(client);
    return true;
  }
  /// Gives `units` back. True: a request can be taken that could not before.
  bool end_service(lane client, std::uint32_t units) noexcept {
    auto& used = in_service_[client];
    const bool was_held = used >= units_in_service_limit;
    used -= units;
    return was_held && used < units_in_service_limit && waiting_.release(client);
  }

private:
  fair_queue<dispatch> waiting_;
  std::array<std::uint32_t, lane_count> in_service_{};
  std::array<std::uint32_t, lane_count> open_{};
};

} // namespace matchcloud::http
