#pragma once

#include "base/latency_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
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

  latency_histogram() : counts_(bucket_count) {}

  void record(std::uint64_t ns) noexcept {
    ns = std::min(ns, highest_ns);
    ++counts_[bucket_of(ns)];
    ++count_;
    sum_ns_ += ns;
    max_ns_ = std::max(max_ns_, ns);
  }

  /// Adds the records of `other`, as if they had been recorded here.
  void add(const latency_histogram& other) noexcept {
    std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(),
                   std::plus<>{});
    count_ += other.count_;
    sum_ns_ += other.sum_ns_;
    max_ns_ = std::max(max_ns_, other.max_ns_);
  }

  void clear() noexcept {
    std::fill(counts_.begin(), counts_.end(), 0);
    count_ = sum_ns_ = max_ns_ = 0;
  }

  std::uint64_t count() const noexcept { return count_; }
  /// The longest duration, exact up to `highest_ns`; 0 if nothing was recorded.
  std::uint64_t max_ns() const noexcept { return max_ns_; }
  double mean_ns() const noexcept {
    return count_ == 0 ? 0 : static_cast<double>(sum_ns_) / static_cast<double>(count_);
  }

  /// The duration, to a thousandth, that at least `percent` (0 to 100) of the records do not
  /// exceed; 0 if nothing was recorded.
  std::uint64_t percentile_ns(double percent) const noexcept {
    // 99.9 % of 1,000 is 999, but 999.0000000000001 in floating point.
    constexpr double rounding = 1e-6;
    const auto wanted = static_cast<std::uint64_t>(
        std::ceil(percent * static_cast<double>(count_) / 100 - rounding));
    const auto rank = std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(1, count_));
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      total += counts_[i];
      if (total >= rank) return std::min(greatest_in(i), max_ns_);
    }
    return max_ns_;
  }

  /// A bucket that is not empty: its greatest value (at most `max_ns`) and the number of records up
  /// to it.
  struct step {
    std::uint64_t up_to_ns;
    std::uint64_t total;
  };
  /// The non-empty buckets, in ascending order. `joined`: how many buckets become one, a power of
  /// two up to 2^10.
  std::vector<step> steps(std::size_t joined = 1) const {
    std::vector<step> found;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < counts_.size(); i += joined) {
      const auto* const first = counts_.data() + i;
      const auto here = std::accumulate(first, first + joined, std::uint64_t{0});
      if (here == 0) continue;
      total += here;
      found.push_back({std::min(greatest_in(i + joined - 1), max_ns_), total});
    }
    return found;
  }

private:
  static constexpr std::size_t bucket_parts = std::size_t{1} << precision_bits;
  /// Below 2^(precision_bits + 1), a bucket is one nanosecond wide.
  static constexpr std::size_t bucket_count =
      (40 - precision_bits - 1) * bucket_parts + 2 * bucket_parts;

  static std::size_t bucket_of(std::uint64_t ns) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(ns));
    const unsigned shift = width > precision_bits + 1 ? width - precision_bits - 1 : 0;
    return shift * bucket_parts + static_cast<std::size_t>(ns >> shift);
  }

  static std::uint64_t greatest_in(std::size_t bucket) noexcept {
    if (bucket < 2 * bucket_parts) return bucket;
    const std::size_t shift = bucket / bucket_parts - 1;
    const std::uint64_t part = bucket - shift * bucket_parts;
    return ((part + 1) << shift) - 1;
  }

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

inline latency_summary summary_of(const latency_histogram& of) noexcept {
  latency_summary made;
  std::ranges::transform(reported_percentiles, made.ns.begin(),
                         [&of](const auto& each) { return of.percentile_ns(each.percent); });
  return made;
}

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
