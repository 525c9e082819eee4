#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace matchcloud::http {

class timer_queue;

/// An object with one deadline. It removes itself from its queue when destroyed.
class timer {
public:
  timer() = default;
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  virtual ~timer();

  bool armed() const noexcept { return in_ != nullptr; }

protected:
  /// Called when the deadline has passed. The timer is no longer armed and may be armed again. It
  /// may destroy itself and other timers.
  virtual void on_deadline() = 0;

private:
  friend class timer_queue;

  /// Null while it is not armed.
  timer_queue* in_ = nullptr;
  /// In ticks of the queue.
  std::uint64_t due_ = 0;
  /// While armed: its place in the queue, earlier than `due_` if the deadline was moved later.
  std::multimap<std::uint64_t, timer*>::iterator at_;
};

/// The deadlines of one event loop, accurate to one tick and never early. Those of one tick fire in
/// the order in which they came. Moving a deadline later costs one store; the timer moves when its
/// old place comes. Used by one thread.
class timer_queue {
public:
  static constexpr std::chrono::milliseconds tick{16};

  explicit timer_queue(base::steady_time start) noexcept : start_{start} {}
  ~timer_queue();

  /// Arms or moves `which` to `deadline`.
  void arm(timer& which, base::steady_time deadline);
  void cancel(timer& which) noexcept;
  /// Fires all timers that are due at `now`.
  void advance(base::steady_time now);
  /// Time until the next timer may be due; nothing if no timer is armed.
  std::optional<std::chrono::milliseconds> next_delay(base::steady_time now) const;

private:
  std::uint64_t tick_of(base::steady_time when) const noexcept;
  void move(timer& which);

  base::steady_time start_;
  std::uint64_t current_ = 0;
  /// By tick.
  std::multimap<std::uint64_t, timer*> queue_;
};

} // namespace matchcloud::http
