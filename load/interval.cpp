#include "load/interval.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace matchcloud::load {

void interval::add(const interval& other) {
  latency.add(other.latency);
  if (parts.empty()) parts.resize(other.parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].sent += other.parts[i].sent;
    parts[i].answered += other.parts[i].answered;
    std::ranges::transform(parts[i].failures, other.parts[i].failures, parts[i].failures.begin(),
                           std::plus<>{});
    parts[i].latency.add(other.parts[i].latency);
  }
}

void interval::clear() {
  latency.clear();
  std::ranges::fill(parts, part{});
}

moment interval::summary() const {
  moment made;
  for (const auto& each : parts) {
    made.parts.push_back({each.sent, each.answered, each.failures, each.latency.counts()});
    made.sent += each.sent;
    made.answered += each.answered;
    made.errors += made.parts.back().errors();
  }
  made.p50_ns = latency.percentile_ns(50);
  made.p90_ns = latency.percentile_ns(90);
  made.p99_ns = latency.percentile_ns(99);
  made.p99_9_ns = latency.percentile_ns(99.9);
  made.max_ns = latency.max_ns();
  return made;
}

} // namespace matchcloud::load
