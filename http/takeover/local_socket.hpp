#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace matchcloud::http {

/// A unix socket (SOCK_SEQPACKET) that listens at a path; only this user may connect (mode 0600).
/// Destroying this leaves the file behind: see `remove_file`.
struct local_listener {
  std::string path;
  base::file_descriptor socket;

  /// Removes the socket's file. Only the process that still has the socket may call this.
  void remove_file() const noexcept { ::unlink(path.c_str()); }
};

/// Listens under a name in a directory, replacing the file of a dead process. Fails with
/// `address_unavailable` if a live process listens there or the name is not a socket's, otherwise
/// with `io_failed`.
base::expected<local_listener> listen_local(const std::string& directory, const std::string& name);

/// Connects to the process that listens under that name; nothing if none does. Fails with
/// `io_failed`, also if it has no room for another connection within 5 s. What it returns does not
/// block.
base::expected<std::optional<base::file_descriptor>> connect_local(const std::string& directory,
                                                                   const std::string& name);

/// A process at the other end of a connection.
struct local_peer {
  /// 0: a process that this one cannot see (another pid namespace).
  pid_t pid = 0;
  uid_t user = 0;
};

/// The process at the other end of a connection; for a listener, the one that called listen(2)
/// last.
std::optional<local_peer> peer_of(int fd) noexcept;
/// Its number if it runs as this user, otherwise nothing.
std::optional<pid_t> same_user_peer(int fd) noexcept;

} // namespace matchcloud::http
