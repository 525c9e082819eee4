#include "http/takeover/descriptor_channel.hpp"

#include "base/files/io_failure.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <utility>

namespace matchcloud::http {

namespace {

/// SCM_MAX_FD, the most descriptors that one message can carry. With room for that many, a message
/// with too many descriptors is recognized by their number instead of being truncated.
constexpr std::size_t most_descriptors = 253;

tl::unexpected<base::error> failure(std::string_view operation) {
  const int code = errno;
  const bool gone = code == EPIPE || code == ECONNRESET || code == ENOTCONN;
  return base::io_failure("take-over", operation, code,
                          gone ? base::errc::unavailable : base::errc::io_failed);
}

bool is_for_later(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

/// The time left until `until` for poll(2): rounded up to milliseconds, at most one hour.
int poll_ms(base::steady_time until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - base::machine_clock().now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

std::vector<base::file_descriptor> descriptors_of(msghdr& message) {
  std::vector<base::file_descriptor> all;
  for (auto* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + CMSG_LEN(sizeof(int)) <= each->cmsg_len; at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(each) + at, sizeof fd);
      all.emplace_back(fd);
    }
  }
  return all;
}

} // namespace

base::expected<bool> descriptor_channel::wait(short events, base::steady_time until,
                                              int other) const {
  while (true) {
    std::array<pollfd, 3> watched{pollfd{get(), events, 0}, pollfd{stop_fd_, POLLIN, 0},
                                  pollfd{other, POLLIN, 0}};
    const int ready = ::poll(watched.data(), watched.size(), poll_ms(until));
    if (ready < 0 && errno != EINTR) return failure("wait");
    if (ready > 0 && watched[1].revents != 0)
      return base::fail(base::errc::cancelled,
                        "take-over: given up, because this process is ending");
    if (ready > 0) return watched[0].revents != 0;
    if (base::machine_clock().now() >= until)
      return base::fail(base::errc::deadline_exceeded,
                        "take-over: the other process does not answer");
  }
}

base::expected<void> descriptor_channel::send(std::string_view text,
                                              std::span<const int> descriptors,
                                              base::steady_time until) {
  if (text.size() > message_limit_bytes || descriptors.size() > descriptors_per_message)
    return base::fail(base::errc::internal, "take-over: a message is too long");
  alignas(cmsghdr) std::array<char, CMSG_SPACE(descriptors_per_message * sizeof(int))> control{};
  iovec part{const_cast<char*>(text.data()), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    auto* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  while (::sendmsg(get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (!is_for_later(errno)) return failure("send");
    if (const auto writable = wait(POLLOUT, until); !writable)
      return tl::unexpected(writable.error());
  }
  return {};
}

base::expected<descriptor_message> descriptor_channel::receive(base::steady_time until) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> control;
  std::array<char, message_limit_bytes> text;
  bool was_reset = false;
  while (true) {
    iovec part{text.data(), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const auto got = ::recvmsg(get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && is_for_later(errno)) {
      if (const auto readable = wait(POLLIN, until); !readable)
        return tl::unexpected(readable.error());
      continue;
    }
    // A peer that closes with unread input causes one ECONNRESET; messages that it sent before that
    // can still be received.
    if (got < 0 && errno == ECONNRESET && !std::exchange(was_reset, true)) continue;
    if (got < 0) return failure("receive");
    descriptor_message received{{text.data(), static_cast<std::size_t>(got)},
                                descriptors_of(message)};
    if (got == 0 && received.descriptors.empty())
      return base::fail(base::errc::unavailable, "take-over: the other process is gone");
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ||
        received.descriptors.size() > descriptors_per_message)
      return base::fail(base::errc::request_malformed,
                        "take-over: a message is too long, or this process can have "
                        "no more descriptors (RLIMIT_NOFILE)");
    return received;
  }
}

} // namespace matchcloud::http
