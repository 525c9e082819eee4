#include "actors/latency_map/report_gate.hpp"

#include <algorithm>

namespace matchcloud::actors {

namespace {

constexpr std::uint64_t second_mask = 0xFFFF'FFFF;

bool is_place_of(std::uint64_t hash, std::uint64_t known) noexcept {
  return (known ^ hash) >> 32U == 0 && known != 0;
}

} // namespace

report_gate::report_gate(std::chrono::seconds interval, std::size_t ipv6_client_prefix,
                         const base::clock& clock, const base::siphash_key& key)
    : interval_{interval}, ipv6_client_prefix_{ipv6_client_prefix}, clock_{&clock}, key_{key} {}

std::uint64_t report_gate::hash_of(const model::ip_address& client) const noexcept {
  return base::siphash(key_, model::prefix_of(client, ipv6_client_prefix_).bytes);
}

bool report_gate::takes(const model::ip_address& client) noexcept {
  const auto hash = hash_of(client);
  auto& place = (*clients_)[hash % clients_remembered];
  const auto second = static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::seconds>(clock_->now().time_since_epoch()).count() + 1);
  auto known = place.load(std::memory_order_relaxed);
  if (is_place_of(hash, known) &&
      ((second - known) & second_mask) < static_cast<std::uint64_t>(interval_.count()))
    return false;
  // If two reports arrive at once, one is taken.
  return place.compare_exchange_strong(known, (hash & ~second_mask) | (second & second_mask),
                                       std::memory_order_relaxed);
}

void report_gate::forget(const model::ip_address& client) noexcept {
  const auto hash = hash_of(client);
  auto& place = (*clients_)[hash % clients_remembered];
  auto known = place.load(std::memory_order_relaxed);
  if (is_place_of(hash, known)) place.compare_exchange_strong(known, 0, std::memory_order_relaxed);
}

bool report_gate::enter() noexcept {
  if (waiting_.fetch_add(1, std::memory_order_relaxed) < waiting_limit) return true;
  leave();
  dropped_.add();
  return false;
}

void report_gate::show(base::metric_set& in) const {
  in.add_gauge({"matchcloud_latency_reports_waiting",
                "Latencies from listings that are waiting to be learned."},
               [this] { return static_cast<double>(std::max<std::int64_t>(0, waiting())); });
  in.add({"matchcloud_latency_reports_dropped_total",
          "Latencies from listings that were dropped because too many were waiting to be learned."},
         dropped_);
}

} // namespace matchcloud::actors
