#pragma once

#include <chrono>
#include <cstdint>

namespace matchcloud::base {

/// A quota of units per window; all of them may be used at once.
struct rate_policy {
  /// Units; 0 means no limit.
  std::uint32_t quota = 0;
  /// Seconds, at least 1.
  std::uint32_t window_s = 1;

  constexpr bool is_unlimited() const noexcept { return quota == 0; }

  /// The time that pays for one unit: the window divided by the quota, rounded up to whole
  /// nanoseconds so that rounding never allows more. 0 if there is no limit.
  constexpr std::chrono::nanoseconds interval() const noexcept {
    if (is_unlimited()) return std::chrono::nanoseconds{0};
    const std::chrono::nanoseconds window = std::chrono::seconds{window_s};
    return (window + std::chrono::nanoseconds{quota - 1}) / quota;
  }
};

} // namespace matchcloud::base
