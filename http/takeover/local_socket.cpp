#include "http/takeover/local_socket.hpp"

#include "base/failure.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/unix_address.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

namespace matchcloud::http {

namespace {

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
