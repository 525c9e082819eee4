#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace matchcloud::actors {

/// How long a child waits before it is restarted. The first failure causes no delay, nor does any
/// failure after something was handled, because such an actor works, however often it dies.
/// Fruitless failures in a row cause ever longer delays; more than `intensity` of them within
/// `window` are a restart storm.
class restart_policy {
public:
  static constexpr std::chrono::milliseconds first_backoff{50};
  static constexpr std::chrono::milliseconds longest_backoff{5'000};

  struct verdict {
    std::chrono::milliseconds delay{0};
    bool storm = false;
  };

  restart_policy(std::size_t intensity, std::chrono::milliseconds window)
      : intensity_{intensity}, window_{window} {}

  /// Counts a failure at `now`. `fruitful`: whether something was handled since the previous
  /// restart. `random` spreads the backoff over half to one and a half times its length.
  verdict next(base::steady_time now, bool fruitful, std::uint32_t random);

private:
  std::size_t intensity_;
  std::chrono::milliseconds window_;
  /// Fruitless failures since the last fruitful one.
  std::size_t in_a_row_ = 0;
  /// The times of the latest fruitless failures.
  std::deque<base::steady_time> recent_;
};

} // namespace matchcloud::actors
