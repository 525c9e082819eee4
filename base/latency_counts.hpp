#pragma once

#include "base/metrics.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace matchcloud::base {

/// Buckets for durations from 1 us to 60 s, each at most 5 % wide: a twentieth of the power of ten
/// below it. A bucket includes its upper bound but not its lower one. The first bucket takes all
/// shorter durations, the last one all longer ones.
struct latency_buckets {
  static constexpr std::size_t first_decade = 3;
  static constexpr std::uint64_t highest_ns = 60'000'000'000;
  /// Buckets per power of ten: from 1 to 10 in steps of a twentieth.
  static constexpr std::size_t per_decade = 180;
  static constexpr std::array<std::uint64_t, 12> powers{
      1,         10,         100,         1'000,         10'000,         100'000,
      1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000, 100'000'000'000};
  /// The first, 7 whole decades, 100 buckets from 10 s up to 60 s, and the last.
  static constexpr std::size_t size = 1 + 7 * per_decade + 100 + 1;

  static constexpr std::size_t of(std::uint64_t ns) noexcept {
    if (ns <= powers[first_decade]) return 0;
    if (ns > highest_ns) return size - 1;
    const auto below = ns - 1;
    // 1233 / 4096 is about the decimal logarithm of 2; the result may be one too high.
    auto decade = static_cast<std::size_t>(std::bit_width(below)) * 1233 >> 12U;
    if (below < powers[decade]) --decade;
    return 1 + (decade - first_decade) * per_decade +
           static_cast<std::size_t>((below - powers[decade]) / (powers[decade] / 20));
  }
  /// The greatest value of a bucket in nanoseconds; for the last one its lower bound.
  static constexpr std::uint64_t greatest(std::size_t bucket) noexcept {
    if (bucket == 0) return powers[first_decade];
    if (bucket == size - 1) return highest_ns;
    const auto decade = first_decade + (bucket - 1) / per_decade;
    return powers[decade] + ((bucket - 1) % per_decade + 1) * (powers[decade] / 20);
  }
  /// The middle of a bucket, which represents all of its values: at most 2.5 % off.
  static constexpr std::uint64_t middle(std::size_t bucket) noexcept {
    if (bucket == 0 || bucket == size - 1) return greatest(bucket);
    return (greatest(bucket - 1) + greatest(bucket)) / 2;
  }
};

/// Durations of one kind since the process started, in `latency_buckets`, and the longest since it
/// was last read. Uses 11 kB from the first duration on. Any thread.
class latency_counts {
public:
  static constexpr auto type = metric_type::histogram;

  latency_counts() = default;
  latency_counts(metric_set& in, const metric_text& text) { in.add(text, *this); }
  latency_counts(const latency_counts&) = delete;
  latency_counts& operator=(const latency_counts&) = delete;
  ~latency_counts() { delete buckets_.load(); } // NOLINT(cppcoreguidelines-owning-memory)

  void observe(std::uint64_t ns) {
    auto* buckets = buckets_.load(std::memory_order_acquire);
    if (buckets == nullptr) [[unlikely]]
      buckets = make();
    buckets->counts[latency_buckets::of(ns)].add();
    buckets->sum_ns.add(ns);
    if (ns > buckets->longest_ns.load(std::memory_order_relaxed)) buckets->note_longest(ns);
  }

  /// Adds the counts to `sums`, which has `latency_buckets::size` elements.
  void add_to(std::span<std::uint64_t> sums) const noexcept;
  std::uint64_t sum_ns() const noexcept;
  /// The longest since the previous call; 0 if there was none.
  std::uint64_t take_longest_ns() const noexcept;
  /// The counts in `duration_buckets`, whose bounds are all bounds of these.
  metric_value value() const;

private:
  struct storage {
    std::array<counter, latency_buckets::size> counts;
    counter sum_ns;
    std::atomic<std::uint64_t> longest_ns{0};

    void note_longest(std::uint64_t ns) noexcept;
  };

  storage* make();

  std::atomic<storage*> buckets_{nullptr};
};

} // namespace matchcloud::base
