#include "load/io.hpp"

#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <system_error>

namespace matchcloud::load {

namespace {

/// The time since `then` by the clock of the kernel's timestamps, which may have been set in
/// between.
std::chrono::nanoseconds since(const timespec& then) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto passed = std::chrono::seconds{now.tv_sec - then.tv_sec} +
                      std::chrono::nanoseconds{now.tv_nsec - then.tv_nsec};
  return std::max(passed, std::chrono::nanoseconds{0});
}

} // namespace

void note_arrivals(int socket) noexcept {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

timed_result read_timed(int socket, std::span<char> into) noexcept {
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
    read.age = since(then);
  }
  return read;
}

bool unsent_bytes::empty() const noexcept {
  return std::ranges::all_of(pieces_, [](std::string_view piece) { return piece.empty(); });
}

http::io_status unsent_bytes::send(http::byte_stream& to) {
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
