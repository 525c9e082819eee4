#pragma once

#include "base/clock.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// The machine's clocks, with the time of day corrected to the store's: what expires in a shared
/// store expires at the same time for all machines. Until the first measurement, and for an
/// embedded store, it is the machine's own time. Any thread.
class store_clock final : public base::clock {
public:
  /// `machine` outlives this.
  explicit store_clock(const base::clock& machine = base::machine_clock()) noexcept
      : machine_{&machine} {}

  base::steady_time now() const noexcept override { return machine_->now(); }
  std::int64_t unix_ms() const noexcept override {
    return machine_->unix_ms() + offset_ms_.load(std::memory_order_relaxed);
  }

  /// Notes the store's time at some moment of `round_trip`, which has just ended.
  void note(std::int64_t store_ms, std::chrono::milliseconds round_trip) noexcept {
    // The error of a measurement is at most half its round trip.
    if (is_measured_.exchange(true, std::memory_order_relaxed) && round_trip > round_trip_limit)
      return;
    offset_ms_.store(store_ms + round_trip.count() / 2 - machine_->unix_ms(),
                     std::memory_order_relaxed);
  }

  /// How far the store's clock is ahead of the machine's; negative: behind.
  std::chrono::milliseconds offset() const noexcept {
    return std::chrono::milliseconds{offset_ms_.load(std::memory_order_relaxed)};
  }

private:
  /// Measurements that took longer do not replace an earlier one.
  static constexpr std::chrono::milliseconds round_trip_limit{500};

  const base::clock* machine_;
  std::atomic<bool> is_measured_{false};
  std::atomic<std::int64_t> offset_ms_{0};
};

} // namespace matchcloud::store
