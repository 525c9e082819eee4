#pragma once

#include <cstddef>
#include <cstdint>
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
  /// The non-empty buckets, in ascending order.
  std::vector<step> steps() const;

private:
  static std::size_t bucket_of(std::uint64_t ns) noexcept;
  static std::uint64_t greatest_in(std::size_t bucket) noexcept;

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ns_ = 0;
  /// Each record adds at most `highest_ns`, so it takes 2^24 of the longest to overflow the sum.
  std::uint64_t sum_ns_ = 0;
};

} // namespace matchcloud::load
