#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace matchcloud::base {

/// A number that only grows. Any thread. Accesses are relaxed, so a reader may see several counters
/// at slightly different moments.
class counter {
public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// A number that goes up and down. Any thread.
class gauge {
public:
  void add(std::int64_t n) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  void set(std::int64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  std::int64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::int64_t> value_{0};
};

/// Durations in fixed buckets. Any thread.
class duration_histogram {
public:
  /// Upper bounds in nanoseconds, inclusive. One more bucket holds everything beyond the last
  /// bound.
  static constexpr std::array<std::uint64_t, 14> bounds_ns{
      50'000,     100'000,    250'000,    500'000,     1'000'000,   2'500'000,     5'000'000,
      10'000'000, 25'000'000, 50'000'000, 100'000'000, 500'000'000, 1'000'000'000, 10'000'000'000};

  void observe(std::uint64_t ns) noexcept {
    std::size_t i = 0;
    while (i < bounds_ns.size() && ns > bounds_ns[i])
      ++i;
    buckets_[i].add();
    sum_ns_.add(ns);
  }

  std::uint64_t bucket(std::size_t i) const noexcept { return buckets_[i].get(); }
  std::uint64_t sum_ns() const noexcept { return sum_ns_.get(); }

private:
  std::array<counter, bounds_ns.size() + 1> buckets_;
  counter sum_ns_;
};

} // namespace matchcloud::base
