#include "http/transport/connection_evictor.hpp"

#include <algorithm>
#include <functional>

namespace matchcloud::http {

template <class SinceOf>
bool connection_evictor::evict_next(eviction_order& order, SinceOf&& since_of,
                                    bool (connection::*evict)()) {
  const auto goes = [&](const eviction_order::candidate& next) {
    auto* held = among_->in(next.slot);
    return held != nullptr && std::invoke(since_of, *held) == next.since && (held->*evict)();
  };
  for (bool looked = false;; looked = true) {
    while (const auto next = order.next())
      if (goes(*next)) return true;
    const auto now = host_->now();
    if (looked || now < next_look_ || !order.may_look(now)) return false;
    const auto slots = among_->slot_count();
    if (slots > free_look_slots) next_look_ = now + look_pause_per_slot * slots;
    std::vector<eviction_order::candidate> all;
    among_->for_each([&](const connection& each) {
      if (const auto since = std::invoke(since_of, each)) all.push_back({*since, each.slot()});
    });
    order.fill(std::move(all), slots, now);
  }
}

template <class SinceOf>
bool connection_evictor::evict_idle(eviction_order& order, SinceOf&& since_of) {
  const bool gone = evict_next(order, since_of, &connection::evict);
  if (gone) host_->metrics.connections_evicted_idle.add();
  return gone;
}

bool connection_evictor::evict_stalled(eviction_order& order, since_when since,
                                       const connection* but) {
  const auto stalled = [&](const connection& of) -> std::optional<base::steady_time> {
    const auto at = &of != but ? (of.*since)() : std::nullopt;
    return at && host_->now() - *at >= stall_least ? at : std::nullopt;
  };
  const bool gone = evict_next(order, stalled, &connection::evict_stalled);
  if (gone) host_->metrics.connections_evicted_stalled.add();
  return gone;
}

bool connection_evictor::evict_idle() {
  if (evict_idle(longest_idle_, &connection::idle_since)) return true;
  if (host_->bounds.serves == plane::data) return false;
  return evict_idle(longest_unfinished_, &connection::unfinished_since) ||
         evict_stalled(longest_blocked_, &connection::blocked_since, nullptr);
}

bool connection_evictor::evict_idle_of(const model::ip_address& client, const connection* but) {
  const auto& shares = host_->bounds.shares;
  const auto whose = shares.client_of(client);
  auto found = std::find_if(idle_by_client_.begin(), idle_by_client_.end(),
                            [&](const auto& each) { return each.first == whose; });
  if (found == idle_by_client_.end()) {
    if (idle_by_client_.size() == idle_orders_limit) idle_by_client_.erase(idle_by_client_.begin());
    found = idle_by_client_.insert(idle_by_client_.end(), {whose, {}});
  }
  return evict_idle(found->second, [&](const connection& of) {
    return &of != but && shares.client_of(of.peer()) == whose ? of.idle_since() : std::nullopt;
  });
}

bool connection_evictor::make_room(std::size_t bytes, const connection& but) {
  auto& budget = host_->bounds.budget;
  if (bytes > budget.limit_bytes()) return false;
  while (budget.used_bytes() + bytes > budget.limit_bytes())
    if (!evict_stalled(longest_stalled_, &connection::stalled_since, &but)) return false;
  return true;
}

void connection_evictor::evict_handshake() {
  evict_next(longest_handshaking_, &connection::handshaking_since, &connection::evict);
}

} // namespace matchcloud::http
