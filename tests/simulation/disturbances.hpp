#pragma once

#include "base/clock.hpp"
#include "base/fault_point.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace matchcloud::simulation {

/// What excuses an answer that is not the one expected, besides a fault at a point.
enum class trouble : std::uint8_t { store, short_work, long_work };
inline constexpr std::size_t trouble_count = 3;

/// When something last stood in the way of requests, and how often actors died of them. The oracle
/// compares what it says when a request begins and when it is answered.
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

  /// Actors that died of a fault there.
  std::array<std::uint64_t, base::fault_point_count> crashes{};
  /// How long some place had nobody, all together.
  std::chrono::nanoseconds vacant{0};

private:
  std::array<base::steady_time, base::fault_point_count> points_{};
  std::array<base::steady_time, trouble_count> troubles_{};
};

} // namespace matchcloud::simulation
