#pragma once

#include "base/clock.hpp"
#include "base/fault_point.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace matchcloud::simulation {

/// What excuses an unexpected answer, besides a fault at a fault point.
enum class trouble : std::uint8_t { store, short_work, long_work, ingest_work };
inline constexpr std::size_t trouble_count = 4;

/// When each disturbance was last active, and how often actors died of faults. The oracle compares
/// the values at a request's begin and at its answer.
class disturbances {
public:
  void note(base::fault_point at, base::steady_time now) noexcept {
    points_[static_cast<std::size_t>(at)] = now;
  }
  void note(trouble which, base::steady_time now) noexcept {
    troubles_[static_cast<std::size_t>(which)] = now;
  }
  bool since(base::fault_point at, base::steady_time begin) const noexcept {
    return points_[static_cast<std::size_t>(at)] >= begin;
  }
  bool since(trouble which, base::steady_time begin) const noexcept {
    return troubles_[static_cast<std::size_t>(which)] >= begin;
  }

  /// By fault point, the actors that died of a fault there.
  std::array<std::uint64_t, base::fault_point_count> crashes{};
  /// The total time during which some child was not running.
  std::chrono::nanoseconds vacant{0};

private:
  std::array<base::steady_time, base::fault_point_count> points_{};
  std::array<base::steady_time, trouble_count> troubles_{};
};

} // namespace matchcloud::simulation
