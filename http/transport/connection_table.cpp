#include "http/transport/connection_table.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace matchcloud::http {

std::optional<eviction_order::candidate> eviction_order::next() {
  if (order_.empty()) return std::nullopt;
  const auto last = order_.back();
  order_.pop_back();
  return last;
}

void eviction_order::fill(std::vector<candidate> all, std::size_t looked_at,
                          base::steady_time now) {
  const auto sooner = [](const candidate& a, const candidate& b) {
    return std::tie(a.since, a.slot) < std::tie(b.since, b.slot);
  };
  const auto count = std::min(all.size(), length_limit);
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), end, all.end(), sooner);
  order_.assign(std::make_reverse_iterator(end), all.rend());
  if ((count + 1) * looks_per_eviction <= looked_at) look_at_ = now + look_pause;
}

bool connection_evictor::evict(eviction why, eviction_order& order, const connection* but,
                               const model::ip_address* client) {
  const bool is_stall = why == eviction::blocked || why == eviction::stalled;
  const auto now = host_->now();
  const auto since_of = [&](const connection& of) -> std::optional<base::steady_time> {
    if (&of == but || (client && host_->bounds.shares.client_of(of.peer()) != *client))
      return std::nullopt;
    const auto since = of.since(why);
    return is_stall && since && now - *since < stall_least ? std::nullopt : since;
  };
  for (bool looked = false;; looked = true) {
    while (const auto next = order.next()) {
      auto* held = among_->in(next->slot);
      if (held == nullptr || since_of(*held) != next->since || !held->evict(why)) continue;
      auto& metrics = host_->metrics;
      if (why != eviction::handshake)
        (is_stall ? metrics.connections_evicted_stalled : metrics.connections_evicted_idle).add();
      return true;
    }
    if (looked || now < next_look_ || !order.may_look(now)) return false;
    const auto slots = among_->slot_count();
    if (slots > free_look_slots) next_look_ = now + look_pause_per_slot * slots;
    std::vector<eviction_order::candidate> all;
    among_->for_each([&](const connection& each) {
      if (const auto since = since_of(each)) all.push_back({*since, each.slot()});
    });
    order.fill(std::move(all), slots, now);
  }
}

bool connection_evictor::evict(eviction why, const connection* but) {
  return evict(why, orders_[static_cast<std::size_t>(why)], but, nullptr);
}

bool connection_evictor::evict_idle() {
  if (evict(eviction::idle)) return true;
  if (host_->bounds.serves == plane::data) return false;
  return evict(eviction::unfinished) || evict(eviction::blocked);
}

bool connection_evictor::evict_idle_of(const model::ip_address& client, const connection* but) {
  const auto whose = host_->bounds.shares.client_of(client);
  auto found = std::ranges::find(idle_by_client_, whose,
                                 &std::pair<model::ip_address, eviction_order>::first);
  if (found == idle_by_client_.end()) {
    if (idle_by_client_.size() == idle_orders_limit) idle_by_client_.erase(idle_by_client_.begin());
    found = idle_by_client_.insert(idle_by_client_.end(), {whose, {}});
  }
  return evict(eviction::idle, found->second, but, &whose);
}

bool connection_evictor::make_room(std::size_t bytes, const connection& but) {
  auto& budget = host_->bounds.budget;
  if (bytes > budget.limit_bytes()) return false;
  while (budget.used_bytes() + bytes > budget.limit_bytes())
    if (!evict(eviction::stalled, &but)) return false;
  return true;
}

} // namespace matchcloud::http
