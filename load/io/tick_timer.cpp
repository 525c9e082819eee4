#include "load/io/tick_timer.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace matchcloud::load {

void set_timer(const base::file_descriptor& timer, base::steady_time when) noexcept {
  const auto ns =
      std::max<std::int64_t>(1, std::chrono::nanoseconds{when.time_since_epoch()}.count());
  itimerspec at{};
  at.it_value.tv_sec = ns / 1'000'000'000;
  at.it_value.tv_nsec = ns % 1'000'000'000;
  ::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

tick_timer::tick_timer(std::chrono::nanoseconds interval) : interval_{interval} {
  for (auto& timer : timers_) {
    timer = base::file_descriptor{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
    if (!timer) throw std::system_error{errno, std::generic_category(), "timerfd_create"};
  }
}

void tick_timer::wait(base::steady_time now) {
  if (now >= next_at_ + interval_) {
    next_at_ = now + interval_;
    set_timer(timers_[next_], next_at_);
    set_timer(timers_[1 - next_], next_at_ + interval_);
  }
  std::uint64_t expirations = 0;
  while (::read(timers_[next_].get(), &expirations, sizeof expirations) < 0 && errno == EINTR) {
  }
  set_timer(timers_[next_], next_at_ + 2 * interval_);
  next_at_ += interval_;
  next_ = 1 - next_;
}

} // namespace matchcloud::load
