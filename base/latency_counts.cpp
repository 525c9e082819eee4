#include "base/latency_counts.hpp"

namespace matchcloud::base {

namespace {

/// Whether every bound of the Prometheus buckets is a bound of `latency_buckets`.
constexpr bool are_bounds_common() {
  for (const auto bound : duration_buckets::bounds_ns)
    if (latency_buckets::greatest(latency_buckets::of(bound)) != bound) return false;
  return true;
}
static_assert(are_bounds_common());

} // namespace

latency_counts::storage* latency_counts::make() {
  auto made = std::make_unique<storage>();
  storage* found = nullptr;
  if (buckets_.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel))
    return made.release();
  return found;
}

void latency_counts::storage::note_longest(std::uint64_t ns) noexcept {
  auto longest = longest_ns.load(std::memory_order_relaxed);
  while (longest < ns && !longest_ns.compare_exchange_weak(longest, ns, std::memory_order_relaxed))
    continue;
}

void latency_counts::add_to(std::span<std::uint64_t> sums) const noexcept {
  const auto* from = buckets_.load(std::memory_order_acquire);
  if (from == nullptr) return;
  for (std::size_t i = 0; i < latency_buckets::size; ++i)
    sums[i] += from->counts[i].get();
}

std::uint64_t latency_counts::sum_ns() const noexcept {
  const auto* from = buckets_.load(std::memory_order_acquire);
  return from == nullptr ? 0 : from->sum_ns.get();
}

std::uint64_t latency_counts::take_longest_ns() const noexcept {
  auto* from = buckets_.load(std::memory_order_acquire);
  return from == nullptr ? 0 : from->longest_ns.exchange(0, std::memory_order_relaxed);
}

metric_value latency_counts::value() const {
  metric_value shown;
  shown.durations.emplace();
  const auto* from = buckets_.load(std::memory_order_acquire);
  if (from == nullptr) return shown;
  const auto& bounds = duration_buckets::bounds_ns;
  std::size_t to = 0;
  for (std::size_t i = 0; i < latency_buckets::size; ++i) {
    const bool is_last = i + 1 == latency_buckets::size;
    while (to < bounds.size() && (is_last || latency_buckets::greatest(i) > bounds[to]))
      ++to;
    shown.durations->counts[to] += from->counts[i].get();
  }
  shown.durations->sum_ns = from->sum_ns.get();
  return shown;
}

} // namespace matchcloud::base
