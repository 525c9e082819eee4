#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace matchcloud::actors {

/// How long a place waits before its next actor. The first failure costs no time, nor does any
/// after which something was handled: such an actor is of use, however often it dies. Of those that
/// die without having been of any the next waits ever longer; where `intensity` of these fall into
/// `window` it is a restart storm.
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

  /// Counts a failure at `now`. `fruitful`: something was handled since the restart before.
  /// `random` spreads the backoff over half to one and a half times its length.
  verdict next(base::steady_time now, bool fruitful, std::uint32_t random);

private:
  std::size_t intensity_;
  std::chrono::milliseconds window_;
  /// Fruitless failures in a row.
  std::size_t in_a_row_ = 0;
  /// When the last of them were.
  std::deque<base::steady_time> recent_;
};

} // namespace matchcloud::actors
