#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"

#include <array>
#include <chrono>
#include <cstddef>

namespace matchcloud::load {

/// Makes a timer of timerfd_create(2) expire at `when`.
void set_timer(const base::file_descriptor& timer, base::steady_time when) noexcept;

/// Waits for ticks at equal intervals, at a third of the cost of other timers. The expensive part,
/// above all in a virtual machine, is that the kernel sets the processor's timer: when a wait
/// begins, when it ends, and for the kernel's own tick after that. The kernel does so only for the
/// earliest timer. So this class always has two timers set: one for the next tick, and one for the
/// tick after it, which was set while the other was earlier. One thread.
class tick_timer {
public:
  explicit tick_timer(std::chrono::nanoseconds interval);

  /// Waits for the next tick, unless it has just passed. If more have passed, ticks start again at
  /// `now`, which is the time of the call.
  void wait(base::steady_time now);

private:
  std::chrono::nanoseconds interval_;
  std::array<base::file_descriptor, 2> timers_;
  /// The index of the timer for the next tick.
  std::size_t next_ = 0;
  base::steady_time next_at_;
};

} // namespace matchcloud::load
