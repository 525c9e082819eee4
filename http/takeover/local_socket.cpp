#include "http/takeover/local_socket.hpp"

#include "base/failure.hpp"
#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace matchcloud::http {

namespace {

using base::file_descriptor;

constexpr mode_t owner_only = 0600;

[[noreturn]] void cannot(const std::string& path, std::string_view operation, int code) {
  throw base::failure{base::io_failure(path, operation, code, base::errc::io_failed).value()};
}

file_descriptor open_directory(const std::string& directory) {
  return file_descriptor{::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
}

file_descriptor new_socket(int flags = 0) {
  return file_descriptor{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0)};
}

/// The address of `name` in `directory`, by a path through /proc/self/fd that is short however long
/// the directory's own path is; nothing if `name` is too long even then.
std::optional<sockaddr_un> address_of(const file_descriptor& directory, const std::string& name) {
  const auto path = "/proc/self/fd/" + std::to_string(directory.get()) + "/" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  path.copy(&address.sun_path[0], path.size());
  return address;
}

/// `call`: connect(2) or bind(2). 0 or errno.
int apply(decltype(::connect)* call, const file_descriptor& socket, const sockaddr_un& address) {
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  return call(socket.get(), plain, sizeof address) == 0 ? 0 : errno;
}

/// Removes the file of a socket on which no process listens: a killed process leaves it.
void remove_if_dead(const file_descriptor& directory, const std::string& name) {
  struct stat found {};
  // connect(2) to a plain file fails with ECONNREFUSED, too.
  if (::fstatat(directory.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISSOCK(found.st_mode))
    return;
  const auto address = address_of(directory, name);
  // Without waiting: a process whose backlog is full lives.
  const auto look = new_socket(SOCK_NONBLOCK);
  if (address && look && apply(::connect, look, *address) == ECONNREFUSED)
    ::unlinkat(directory.get(), name.c_str(), 0);
}

local_listener listen_in(const std::string& directory, const std::string& name) {
  const auto path = directory + "/" + name;
  local_listener made{open_directory(directory), name, new_socket(SOCK_NONBLOCK)};
  if (!made.directory) cannot(directory, "open the directory", errno);
  if (!made.socket) cannot(path, "make a socket", errno);
  const auto address = address_of(made.directory, name);
  if (!address) cannot(path, "listen", ENAMETOOLONG);
  // bind(2) creates the file with the socket's mode, so the file never has a wider one.
  if (::fchmod(made.socket.get(), owner_only) != 0) cannot(path, "set the mode", errno);
  // No other process can take the name now: the name contains an endpoint, and a process binds that
  // endpoint before it takes the name.
  remove_if_dead(made.directory, name);
  const int code = apply(::bind, made.socket, *address);
  if (code == EADDRINUSE)
    throw base::failure{base::errc::address_unavailable,
                        path + ": another process listens there, or it is not a socket"};
  if (code != 0) cannot(path, "listen", code);
  if (::listen(made.socket.get(), take_over_waiting_limit) != 0) cannot(path, "listen", errno);
  return made;
}

std::optional<file_descriptor> connect_in(const std::string& directory, const std::string& name,
                                          std::chrono::milliseconds patience) {
  const auto path = directory + "/" + name;
  const auto opened = open_directory(directory);
  if (!opened && errno == ENOENT) return std::nullopt;
  if (!opened) cannot(directory, "open the directory", errno);
  const auto address = address_of(opened, name);
  if (!address) cannot(path, "connect", ENAMETOOLONG);
  auto socket = new_socket();
  if (!socket) cannot(path, "make a socket", errno);
  const timeval limit{patience.count() / 1'000, patience.count() % 1'000 * 1'000};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int code = apply(::connect, socket, *address);
  if (code == ECONNREFUSED || code == ENOENT) return std::nullopt;
  if (code != 0) cannot(path, "connect", code);
  if (::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0) cannot(path, "connect", errno);
  return socket;
}

} // namespace

void local_listener::remove_file() const noexcept {
  ::unlinkat(directory.get(), name.c_str(), 0);
}

base::expected<local_listener> listen_local(const std::string& directory, const std::string& name) {
  return base::attempt([&] { return listen_in(directory, name); });
}

base::expected<std::optional<file_descriptor>> connect_local(const std::string& directory,
                                                             const std::string& name,
                                                             std::chrono::milliseconds patience) {
  return base::attempt([&] { return connect_in(directory, name, patience); });
}

void remove_dead_sockets(const std::string& directory, std::string_view prefix,
                         std::string_view suffix) {
  namespace fs = std::filesystem;
  const auto opened = open_directory(directory);
  std::error_code failed;
  for (fs::directory_iterator each{directory, failed}; !failed && each != fs::directory_iterator{};
       each.increment(failed)) {
    const auto name = each->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(suffix)) remove_if_dead(opened, name);
  }
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
