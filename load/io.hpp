#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/loop/byte_stream.hpp"

#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <span>
#include <string_view>
#include <system_error>

namespace matchcloud::load {

/// The outcome of a read, and how long the last bytes had been waiting; 0 if unknown.
struct timed_result {
  http::io_result of;
  std::chrono::nanoseconds age{0};
};

/// Makes the kernel record when bytes arrive, for `read_timed`.
inline void note_arrivals(int socket) noexcept {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

/// The time since `then` by the clock of the kernel's timestamps, which may have been set in
/// between.
inline std::chrono::nanoseconds time_since(const timespec& then) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto passed = std::chrono::seconds{now.tv_sec - then.tv_sec} +
                      std::chrono::nanoseconds{now.tv_nsec - then.tv_nsec};
  return std::max(passed, std::chrono::nanoseconds{0});
}

/// Reads from a TCP socket as `http::socket_stream` does.
inline timed_result read_timed(int socket, std::span<char> into) noexcept {
  iovec place{into.data(), into.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control;
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return {{errno == EAGAIN ? http::io_status::blocked : http::io_status::failed, 0}};
  if (got == 0) return {{http::io_status::ended, 0}};
  const auto bytes = static_cast<std::size_t>(got);
  timed_result read{{http::io_status::moved, bytes, bytes == into.size()}};
  const auto* stamp = CMSG_FIRSTHDR(&message);
  if (stamp != nullptr && stamp->cmsg_level == SOL_SOCKET && stamp->cmsg_type == SCM_TIMESTAMPNS) {
    timespec then{};
    std::memcpy(&then, CMSG_DATA(stamp), sizeof then);
    read.age = time_since(then);
  }
  return read;
}

/// Unsent bytes in up to three pieces, so that the part that differs by connection can go between
/// the parts that all connections share, without a copy. The bytes must stay valid. One thread.
class unsent_bytes {
public:
  unsent_bytes() = default;
  unsent_bytes(std::string_view first, std::string_view second, std::string_view third)
      : pieces_{first, second, third} {}

  bool empty() const noexcept {
    return std::ranges::all_of(pieces_, [](std::string_view piece) { return piece.empty(); });
  }

  /// Sends as much as the stream accepts in one call. Returns the outcome.
  http::io_status send(http::byte_stream& to) {
    std::array<iovec, 3> parts{};
    std::size_t count = 0;
    for (const auto& piece : pieces_)
      // write does not change them, but readv uses iovec too.
      if (!piece.empty()) parts[count++] = {const_cast<char*>(piece.data()), piece.size()};
    const auto sent = to.write({parts.data(), count}, false);
    auto left = sent.bytes;
    for (auto& piece : pieces_) {
      const auto taken = std::min(left, piece.size());
      piece.remove_prefix(taken);
      left -= taken;
    }
    return sent.status;
  }

private:
  std::array<std::string_view, 3> pieces_;
};

/// Makes a timer of timerfd_create(2) expire at `when`.
inline void set_timer(const base::file_descriptor& timer, base::steady_time when) noexcept {
  const auto ns =
      std::max<std::int64_t>(1, std::chrono::nanoseconds{when.time_since_epoch()}.count());
  itimerspec at{};
  at.it_value.tv_sec = ns / 1'000'000'000;
  at.it_value.tv_nsec = ns % 1'000'000'000;
  ::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

/// Waits for ticks at equal intervals, at a third of the cost of other timers. The expensive part,
/// above all in a virtual machine, is that the kernel sets the processor's timer: when a wait
/// begins, when it ends, and for the kernel's own tick after that. The kernel does so only for the
/// earliest timer. So this class always has two timers set: one for the next tick, and one for the
/// tick after it, which was set while the other was earlier. One thread.
class tick_timer {
public:
  explicit tick_timer(std::chrono::nanoseconds interval) : interval_{interval} {
    for (auto& timer : timers_) {
      timer = base::file_descriptor{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
      if (!timer) throw std::system_error{errno, std::generic_category(), "timerfd_create"};
    }
  }

  /// Waits for the next tick, unless it has just passed. If more have passed, ticks start again at
  /// `now`, which is the time of the call.
  void wait(base::steady_time now) {
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

private:
  std::chrono::nanoseconds interval_;
  std::array<base::file_descriptor, 2> timers_;
  /// The index of the timer for the next tick.
  std::size_t next_ = 0;
  base::steady_time next_at_;
};

} // namespace matchcloud::load
