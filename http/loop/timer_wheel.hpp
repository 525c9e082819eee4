#pragma once

#include "base/clock.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace matchcloud::http {

class timer_wheel;

/// An object with one deadline. It removes itself from its wheel when destroyed.
class timer {
public:
  timer() = default;
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  virtual ~timer() { unlink(); }

  bool armed() const noexcept { return next_ != nullptr; }

protected:
  /// Called when the deadline has passed. The timer is no longer armed and may be armed again. It
  /// may destroy itself, but no other timer.
  virtual void on_deadline() = 0;

private:
  friend class timer_wheel;

  void unlink() noexcept;

  timer* prev_ = nullptr;
  timer* next_ = nullptr;
  /// In ticks of the wheel.
  std::uint64_t due_ = 0;
  /// The tick of the slot it is linked in; earlier than `due_` if the deadline was moved later.
  std::uint64_t slot_tick_ = 0;
};

/// The deadlines of one event loop: O(1) to arm, move and cancel, accurate to one tick and never
/// early. Moving a deadline later costs one store; the slot relinks the timer when its tick comes.
/// Used by one thread.
class timer_wheel {
public:
  static constexpr std::chrono::milliseconds tick{16};
  static constexpr std::size_t slot_count = 1'024;

  explicit timer_wheel(base::steady_time start);

  /// Arms or moves `which` to `deadline`.
  void arm(timer& which, base::steady_time deadline);
  void cancel(timer& which) noexcept { which.unlink(); }

  /// Fires all timers that are due at `now`.
  void advance(base::steady_time now);

  /// Time until the next slot with timers is due; nothing if no timer is armed. O(slots / 64).
  std::optional<std::chrono::milliseconds> next_delay(base::steady_time now);

private:
  class slot_head final : public timer {
  public:
    slot_head() noexcept;
    bool empty() const noexcept;

  protected:
    void on_deadline() override {}

  private:
    friend class timer_wheel;
  };

  std::uint64_t tick_of(base::steady_time when) const noexcept;
  void link(timer& which, std::uint64_t slot_tick) noexcept;
  void fire_slot(std::uint64_t tick_now);

  base::steady_time start_;
  std::uint64_t current_ = 0;
  std::array<slot_head, slot_count> slots_;
  /// One bit per slot, set while it may hold timers (a cancelled timer leaves the bit set).
  std::array<std::uint64_t, slot_count / 64> occupied_{};
};

} // namespace matchcloud::http
