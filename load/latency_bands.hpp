#pragma once

#include "base/latency_counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// Counts of durations, each with the upper end of its band in nanoseconds; in ascending order,
/// without empty bands.
using band_counts = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

/// The duration that at least `percent` (0 to 100) of them do not exceed, within 5 %; 0 if there
/// are no durations.
inline std::uint64_t percentile_ns(const band_counts& of, double percent) noexcept {
  std::uint64_t count = 0;
  for (const auto& [up_to_ns, number] : of)
    count += number;
  const auto rank =
      static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(count) - 1e-6));
  std::uint64_t total = 0;
  for (const auto& [up_to_ns, number] : of)
    if ((total += number) >= std::max<std::uint64_t>(1, rank)) return up_to_ns;
  return 0;
}

/// Counts durations in the bands of `base::latency_buckets`, like the service itself: each is at
/// most 5 % wide. Takes 5 KiB, for many short intervals for which `latency_histogram` is too large.
/// One thread.
class latency_bands {
public:
  void record(std::uint64_t ns) noexcept { ++counts_[base::latency_buckets::of(ns)]; }
  void add(const latency_bands& other) noexcept {
    std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus<>{});
  }
  band_counts counts() const {
    band_counts found;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] > 0) found.emplace_back(base::latency_buckets::greatest(i), counts_[i]);
    return found;
  }

private:
  std::array<std::uint32_t, base::latency_buckets::size> counts_{};
};

} // namespace matchcloud::load
