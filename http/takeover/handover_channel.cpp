#include "http/takeover/handover_channel.hpp"

#include "base/failure.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/unix_address.hpp"

#include <spdlog/fmt/fmt.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace matchcloud::http {

namespace protocol = handover_protocol;

namespace {

/// A message as sendmsg(2) and recvmsg(2) want it, with room for a text and for descriptors.
struct raw_message {
  alignas(cmsghdr)
      std::array<char, CMSG_SPACE(protocol::descriptors_per_message * sizeof(int))> control{};
  iovec part;
  msghdr header{};

  raw_message(char* text, std::size_t bytes) : part{text, bytes} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }

  void attach(std::span<const int> descriptors) {
    header.msg_controllen = descriptors.empty() ? 0 : CMSG_SPACE(descriptors.size_bytes());
    auto* rights = CMSG_FIRSTHDR(&header);
    if (rights == nullptr) return;
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }

  std::vector<base::file_descriptor> attached() {
    const auto* rights = CMSG_FIRSTHDR(&header);
    if (rights == nullptr || rights->cmsg_type != SCM_RIGHTS) return {};
    std::vector<int> numbers((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(numbers.data(), CMSG_DATA(rights), numbers.size() * sizeof(int));
    std::vector<base::file_descriptor> all;
    for (const int each : numbers)
      all.emplace_back(each);
    return all;
  }
};

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

base::expected<handover_message> parse(std::string_view text,
                                       std::vector<base::file_descriptor> descriptors) {
  if (!text.starts_with(protocol::prefix))
    return base::fail(base::errc::request_malformed,
                      "take-over: the other process speaks another version of the protocol");
  text.remove_prefix(protocol::prefix.size());
  const auto space = std::min(text.find(' '), text.size());
  return handover_message{std::string{text.substr(0, space)},
                          std::string{text.substr(std::min(space + 1, text.size()))},
                          std::move(descriptors)};
}

using base::file_descriptor;

constexpr mode_t owner_only = 0600;
/// The backlog: processes that connect during a take-over wait in it, and there are few.
constexpr int waiting_limit = 4;
/// How long a process waits for room in it.
constexpr timeval patience{5, 0};

[[noreturn]] void cannot(const std::string& path, std::string_view operation, int code) {
  throw base::failure{base::io_failure(path, operation, code, base::errc::io_failed).value()};
}

/// A socket that can listen or connect under a name in a directory.
struct named_socket {
  /// O_PATH. The address leads through /proc/self/fd, which is short however long the directory's
  /// own path is.
  file_descriptor directory;
  file_descriptor socket;
  std::optional<base::unix_address> address;

  named_socket(const std::string& in, const std::string& name) {
    directory = file_descriptor{::open(in.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!directory) cannot(in, "open the directory", errno);
    socket = file_descriptor{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!socket) cannot(in, "make a socket", errno);
    const auto path = "/proc/self/fd/" + std::to_string(directory.get()) + "/" + name;
    if (path.size() > base::unix_address::limit_bytes)
      cannot(in, "make a socket there", ENAMETOOLONG);
    address.emplace(path);
  }

  /// `call`: connect(2) or bind(2). 0 or errno.
  int apply(decltype(::connect)* call) const {
    return call(socket.get(), address->get(), address->bytes) == 0 ? 0 : errno;
  }
};

} // namespace

std::string protocol::network_namespace() {
  struct stat found {};
  // Without /proc, all processes count as being in the same network namespace.
  if (::stat("/proc/self/ns/net", &found) != 0) return "unknown";
  return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
}

base::expected<bool> handover_channel::wait(short events, base::steady_time until,
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

base::expected<void> handover_channel::say(std::string_view verb, std::string_view argument,
                                           std::span<const int> descriptors,
                                           std::chrono::milliseconds at_most) const {
  auto text =
      fmt::format("{}{}{}{}", protocol::prefix, verb, argument.empty() ? "" : " ", argument);
  if (text.size() > protocol::message_limit_bytes ||
      descriptors.size() > protocol::descriptors_per_message)
    return base::fail(base::errc::internal, "take-over: a message is too long");
  raw_message message{text.data(), text.size()};
  message.attach(descriptors);
  const auto until = base::machine_clock().now() + at_most;
  while (::sendmsg(get(), &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (!is_for_later(errno)) return failure("send");
    if (const auto writable = wait(POLLOUT, until); !writable)
      return tl::unexpected(writable.error());
  }
  return {};
}

base::expected<handover_message> handover_channel::hear(std::chrono::milliseconds at_most) const {
  const auto until = base::machine_clock().now() + at_most;
  std::array<char, protocol::message_limit_bytes> text;
  bool was_reset = false;
  while (true) {
    raw_message message{text.data(), text.size()};
    const auto got = ::recvmsg(get(), &message.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && is_for_later(errno)) {
      if (const auto readable = wait(POLLIN, until); !readable)
        return tl::unexpected(readable.error());
      continue;
    }
    // A peer that closes with unread input causes one ECONNRESET; messages that it sent before that
    // can still be received.
    if (got < 0 && errno == ECONNRESET && !std::exchange(was_reset, true)) continue;
    if (got < 0) return failure("receive");
    auto descriptors = message.attached();
    if (got == 0 && descriptors.empty())
      return base::fail(base::errc::unavailable, "take-over: the other process is gone");
    if ((message.header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
      return base::fail(base::errc::request_malformed,
                        "take-over: a message is too long, or this process can have "
                        "no more descriptors (RLIMIT_NOFILE)");
    return parse({text.data(), static_cast<std::size_t>(got)}, std::move(descriptors));
  }
}

base::expected<local_listener> listen_local(const std::string& directory, const std::string& name) {
  return base::attempt([&] {
    const auto path = directory + "/" + name;
    named_socket own{directory, name};
    // bind(2) creates the file with the socket's mode, so the file never has a wider one.
    if (::fchmod(own.socket.get(), owner_only) != 0) cannot(path, "set the mode", errno);
    // A killed process leaves its file. No other process can take the name now: the name contains
    // an endpoint, and a process binds that endpoint before it takes the name. connect(2) to a
    // plain file fails with ECONNREFUSED, too.
    std::error_code unknown;
    if (std::filesystem::is_socket(std::filesystem::symlink_status(path, unknown)) &&
        named_socket{directory, name}.apply(::connect) == ECONNREFUSED)
      ::unlink(path.c_str());
    const int code = own.apply(::bind);
    if (code == EADDRINUSE)
      throw base::failure{base::errc::address_unavailable,
                          path + ": another process listens there, or it is not a socket"};
    if (code != 0) cannot(path, "listen", code);
    if (::listen(own.socket.get(), waiting_limit) != 0) cannot(path, "listen", errno);
    return local_listener{path, std::move(own.socket)};
  });
}

base::expected<std::optional<file_descriptor>> connect_local(const std::string& directory,
                                                             const std::string& name) {
  return base::attempt([&]() -> std::optional<file_descriptor> {
    struct stat found {};
    if (::stat(directory.c_str(), &found) != 0 && errno == ENOENT) return std::nullopt;
    named_socket own{directory, name};
    const int fd = own.socket.get();
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    ::fcntl(fd, F_SETFL, 0);
    const int code = own.apply(::connect);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    if (code == ECONNREFUSED || code == ENOENT) return std::nullopt;
    if (code != 0) cannot(directory + "/" + name, "connect", code);
    return std::move(own.socket);
  });
}

std::optional<local_peer> peer_of(int fd) noexcept {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return std::nullopt;
  return local_peer{peer.pid, peer.uid};
}

std::optional<pid_t> same_user_peer(int fd) noexcept {
  const auto peer = peer_of(fd);
  if (!peer || peer->user != ::geteuid()) return std::nullopt;
  return peer->pid;
}

} // namespace matchcloud::http
