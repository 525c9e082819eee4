#pragma once

#include "base/clock.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace matchcloud::http {

class timer_wheel;

/// Something with one deadline. Takes itself off its wheel when destroyed.
class timer {
public:
  timer() = default;
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  virtual ~timer() { unlink(); }

  bool armed() const noexcept { return next_ != nullptr; }

protected:
  /// The deadline passed; the timer is not armed any more and may be armed again. May destroy the
  /// timer itself, not others.
  virtual void on_deadline() = 0;

private:
  friend class timer_wheel;

  void unlink() noexcept;

  timer* prev_ = nullptr;
  timer* next_ = nullptr;
  /// In ticks of the wheel.
  std::uint64_t due_ = 0;
  /// The slot's tick it is linked for; earlier than `due_` where the deadline was moved back.
  std::uint64_t slot_tick_ = 0;
};

/// Deadlines of one event loop: O(1) to arm, move and cancel, exact to one tick (never early). A
/// deadline that moves later costs a store; the slot it stood in sorts it out. Used by one thread.
class timer_wheel {
public:
  static constexpr std::chrono::milliseconds tick{16};
  static constexpr std::size_t slot_count = 1'024;

  explicit timer_wheel(base::steady_time start);

  /// Arms or moves `which` to `deadline`.
  void arm(timer& which, base::steady_time deadline);
  void cancel(timer& which) noexcept { which.unlink(); }

  /// Fires what is due at `now`.
  void advance(base::steady_time now);

  /// How long until a slot with timers is due; nothing where no timer is armed. O(slots / 64).
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
  /// A bit per slot, set while it may hold timers (a cancelled timer leaves its bit behind).
  std::array<std::uint64_t, slot_count / 64> occupied_{};
};

} // namespace matchcloud::http
