#include "http/takeover/local_socket.hpp"

#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace matchcloud::http {

namespace {

using base::file_descriptor;

constexpr mode_t owner_only = 0600;
/// The limit on the time to find out whether a process listens on a socket.
constexpr std::chrono::milliseconds look_patience{100};

tl::unexpected<base::error> failure(const std::string& directory, const std::string& name,
                                    std::string_view operation, int code) {
  return base::io_failure(directory + "/" + name, operation, code, base::errc::io_failed);
}

base::expected<file_descriptor> open_directory(const std::string& directory) {
  file_descriptor opened{::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!opened)
    return base::io_failure(directory, "open the directory", errno, base::errc::io_failed);
  return opened;
}

/// The address of `name` in `directory`, by a path through /proc/self/fd that is short however long
/// the directory's own path is; nothing if `name` is too long even then.
std::optional<sockaddr_un> address_of(const file_descriptor& directory, const std::string& name) {
  const auto path = "/proc/self/fd/" + std::to_string(directory.get()) + "/" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  return address;
}

file_descriptor new_socket() {
  return file_descriptor{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
}

int connect_to(int fd, const sockaddr_un& address, std::chrono::milliseconds patience) {
  const timeval limit{patience.count() / 1'000, patience.count() % 1'000 * 1'000};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return errno;
  return ::fcntl(fd, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

bool says_nobody(int code) {
  return code == ECONNREFUSED || code == ENOENT;
}

bool is_socket(const file_descriptor& directory, const std::string& name) {
  struct stat found {};
  return ::fstatat(directory.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISSOCK(found.st_mode);
}

/// Binds, replacing a dead process's socket. Returns 0 or errno. EADDRINUSE: a process listens
/// there, or the name belongs to something other than a socket.
int bind_to(int fd, const file_descriptor& directory, const std::string& name,
            const sockaddr_un& address) {
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(fd, plain, sizeof address) == 0) return 0;
  if (errno != EADDRINUSE) return errno;
  const auto look = new_socket();
  const int found = connect_to(look.get(), address, look_patience);
  if (!says_nobody(found)) return EADDRINUSE;
  if (found == ECONNREFUSED) {
    // connect(2) to a plain file fails with ECONNREFUSED too.
    if (!is_socket(directory, name)) return EADDRINUSE;
    // The socket belonged to a killed process. No other process can take the name now: the name
    // contains an endpoint, and a process binds that endpoint before it takes the name.
    if (::unlinkat(directory.get(), name.c_str(), 0) != 0 && errno != ENOENT) return errno;
  }
  return ::bind(fd, plain, sizeof address) == 0 ? 0 : errno;
}

} // namespace

void local_listener::remove_file() const noexcept {
  ::unlinkat(directory.get(), name.c_str(), 0);
}

base::expected<local_listener> listen_local(const std::string& directory, const std::string& name) {
  auto made = adopt_local(directory, name, new_socket());
  if (!made) return made;
  const int fd = made->socket.get();
  const auto address = address_of(made->directory, name);
  if (!address) return failure(directory, name, "listen", ENAMETOOLONG);
  // bind(2) creates the file with the socket's mode, so the file never has a wider one.
  if (::fchmod(fd, owner_only) != 0) return failure(directory, name, "set the mode", errno);
  if (const int code = bind_to(fd, made->directory, name, *address); code != 0) {
    if (code != EADDRINUSE) return failure(directory, name, "listen", code);
    return base::fail(base::errc::address_unavailable,
                      directory + "/" + name +
                          ": another process listens there, or it is not a socket");
  }
  if (::listen(fd, take_over_waiting_limit) != 0) return failure(directory, name, "listen", errno);
  return made;
}

base::expected<local_listener> adopt_local(const std::string& directory, const std::string& name,
                                           file_descriptor socket) {
  if (!socket) return failure(directory, name, "make a socket", errno);
  auto opened = open_directory(directory);
  if (!opened) return tl::unexpected(opened.error());
  if (::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0)
    return failure(directory, name, "set the flags", errno);
  return local_listener{*std::move(opened), name, std::move(socket)};
}

base::expected<std::optional<file_descriptor>> connect_local(const std::string& directory,
                                                             const std::string& name,
                                                             std::chrono::milliseconds patience) {
  const file_descriptor opened{::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!opened && errno == ENOENT) return std::nullopt;
  if (!opened)
    return base::io_failure(directory, "open the directory", errno, base::errc::io_failed);
  const auto address = address_of(opened, name);
  if (!address) return failure(directory, name, "connect", ENAMETOOLONG);
  auto socket = new_socket();
  if (!socket) return failure(directory, name, "make a socket", errno);
  const int code = connect_to(socket.get(), *address, patience);
  if (says_nobody(code)) return std::nullopt;
  if (code != 0) return failure(directory, name, "connect", code);
  return socket;
}

void remove_dead_sockets(const std::string& directory, std::string_view prefix,
                         std::string_view suffix) {
  namespace fs = std::filesystem;
  const auto opened = open_directory(directory);
  if (!opened) return;
  std::error_code failed;
  for (fs::directory_iterator each{directory, failed}; !failed && each != fs::directory_iterator{};
       each.increment(failed)) {
    const auto name = each->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || !is_socket(*opened, name)) continue;
    const auto address = address_of(*opened, name);
    const auto look = new_socket();
    if (address && look && connect_to(look.get(), *address, look_patience) == ECONNREFUSED)
      ::unlinkat(opened->get(), name.c_str(), 0);
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
