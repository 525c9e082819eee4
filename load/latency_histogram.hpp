#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::load {

/// How often which duration was measured, in buckets of at most a thousandth of their value
/// (Gil Tene's HdrHistogram: each power of two is cut into equal parts). A fixed 248 KiB. One
/// thread.
class latency_histogram {
public:
  /// Parts of each power of two: 2^10.
  static constexpr unsigned precision_bits = 10;
  /// Longer ones (18 minutes) count as this.
  static constexpr std::uint64_t highest_ns = (std::uint64_t{1} << 40) - 1;

  latency_histogram();

  void record(std::uint64_t ns) noexcept;
  /// As if everything that the other has had been recorded here.
  void add(const latency_histogram& other) noexcept;
  void clear() noexcept;

  std::uint64_t count() const noexcept { return count_; }
  /// Exact; 0 where nothing was recorded.
  std::uint64_t max_ns() const noexcept { return max_ns_; }
  double mean_ns() const noexcept;
  /// The standard deviation, to a thousandth.
  double deviation_ns() const;
  /// At least `percent` (0 to 100) of what was recorded is at most this. 0 where nothing was.
  std::uint64_t percentile_ns(double percent) const noexcept;

  /// A bucket that something fell into: its greatest value and all that was recorded up to it.
  struct step {
    std::uint64_t up_to_ns;
    std::uint64_t total;
  };
  /// In ascending order.
  std::vector<step> steps() const;

private:
  static std::size_t bucket_of(std::uint64_t ns) noexcept;
  static std::uint64_t greatest_in(std::size_t bucket) noexcept;

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ns_ = 0;
  /// Up to highest_ns each: 2^24 of the longest are needed to overflow it.
  std::uint64_t sum_ns_ = 0;
};

} // namespace matchcloud::load
