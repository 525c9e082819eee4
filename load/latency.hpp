#pragma once

#include "base/latency_counts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// Counts measured durations in buckets whose width is at most a thousandth of their value (Gil
/// Tene's HdrHistogram: each power of two is divided into equal parts). Takes a fixed 248 KiB. One
/// thread.
class latency_histogram {
public:
  /// The binary logarithm of the number of buckets per power of two: 2^10 buckets.
  static constexpr unsigned precision_bits = 10;
  /// Longer durations are recorded as this one (18 minutes).
  static constexpr std::uint64_t highest_ns = (std::uint64_t{1} << 40) - 1;

  latency_histogram();

  void record(std::uint64_t ns) noexcept;
  /// Adds the records of `other`, as if they had been recorded here.
  void add(const latency_histogram& other) noexcept;
  void clear() noexcept;

  std::uint64_t count() const noexcept { return count_; }
  /// The longest duration, exact up to `highest_ns`; 0 if nothing was recorded.
  std::uint64_t max_ns() const noexcept { return max_ns_; }
  double mean_ns() const noexcept;
  /// The standard deviation, exact to a thousandth.
  double deviation_ns() const;
  /// The duration, to a thousandth, that at least `percent` (0 to 100) of the records do not
  /// exceed; 0 if nothing was recorded.
  std::uint64_t percentile_ns(double percent) const noexcept;

  /// A bucket that is not empty: its greatest value (at most `max_ns`) and the number of records up
  /// to it.
  struct step {
    std::uint64_t up_to_ns;
    std::uint64_t total;
  };
  /// The non-empty buckets, in ascending order. `joined`: how many buckets become one, a power of
  /// two up to 2^10.
  std::vector<step> steps(std::size_t joined = 1) const;

private:
  static std::size_t bucket_of(std::uint64_t ns) noexcept;
  static std::uint64_t greatest_in(std::size_t bucket) noexcept;

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ns_ = 0;
  /// Each record adds at most `highest_ns`, so it takes 2^24 of the longest to overflow the sum.
  std::uint64_t sum_ns_ = 0;
};

/// A percentile that reports have; the 100th is the longest duration.
struct reported_percentile {
  std::string_view name;
  double percent;
  /// Whether texts have it too, not only JSON.
  bool is_in_text = true;
};
inline constexpr std::array<reported_percentile, 9> reported_percentiles{{{"p50", 50},
                                                                          {"p75", 75, false},
                                                                          {"p90", 90},
                                                                          {"p95", 95, false},
                                                                          {"p99", 99},
                                                                          {"p99.5", 99.5, false},
                                                                          {"p99.9", 99.9},
                                                                          {"p99.99", 99.99},
                                                                          {"max", 100}}};

/// These percentiles in nanoseconds; 0 if nothing was recorded.
struct latency_summary {
  std::array<std::uint64_t, reported_percentiles.size()> ns{};

  /// The value of a reported percentile.
  std::uint64_t of(double percent) const noexcept {
    const auto* const found =
        std::ranges::find(reported_percentiles, percent, &reported_percentile::percent);
    return ns[static_cast<std::size_t>(found - reported_percentiles.begin())];
  }
};

latency_summary summary_of(const latency_histogram& of) noexcept;

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
