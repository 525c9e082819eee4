#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// A unix socket (SOCK_SEQPACKET) that listens under a name in a directory; only this user may
/// connect (mode 0600). Going away leaves the file, which then leads nowhere: see `remove_file`.
struct local_listener {
  /// O_PATH: names are looked up from here, so that paths may be longer than a `sun_path` (108
  /// bytes).
  base::file_descriptor directory;
  std::string name;
  base::file_descriptor socket;

  /// Takes the name away; of the process that still has the socket only.
  void remove_file() const noexcept;
};

/// Replaces the file of a process that is gone. Fails with `address_unavailable` where a living one
/// listens there or the name is something else's, else with `io_failed`.
base::expected<local_listener> listen_local(const std::string& directory, const std::string& name);

/// The same name with a socket that listens there already.
base::expected<local_listener> adopt_local(const std::string& directory, const std::string& name,
                                           base::file_descriptor socket);

/// A connection (non-blocking) to whoever listens under that name; nothing where nobody does. Fails
/// with `io_failed`, also where it is not let in within `patience`.
base::expected<std::optional<base::file_descriptor>>
connect_local(const std::string& directory, const std::string& name,
              std::chrono::milliseconds patience);

/// Takes away the sockets of such names in a directory where nobody listens any more: a process
/// that is killed leaves its. While nobody else makes such names there: between bind(2) and
/// listen(2) a socket looks dead.
void remove_dead_sockets(const std::string& directory, std::string_view prefix,
                         std::string_view suffix);

/// The process at the other end of a connection (of a listener: that called listen(2) last), if it
/// runs as this user; else nothing. 0: a process that this one cannot see (another pid namespace).
std::optional<pid_t> same_user_peer(int fd) noexcept;

} // namespace matchcloud::http
