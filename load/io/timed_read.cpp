#include "load/io/timed_read.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

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

} // namespace matchcloud::load
