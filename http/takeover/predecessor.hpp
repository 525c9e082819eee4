#pragma once

#include "base/expected.hpp"
#include "http/takeover/descriptor_channel.hpp"
#include "http/takeover/handed_listener.hpp"
#include "http/takeover/local_socket.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace matchcloud::http {

/// The name of the socket at which the process that serves an endpoint can be asked for its
/// listeners: several processes may share a data directory.
std::string take_over_name(const endpoint& first_listener);

/// The successor's side of a take-over: a running process, and the listening sockets that it
/// offers. Until `take_over` it accepts connections as before; if this goes away without that, it
/// goes on. One thread.
class predecessor {
public:
  /// Asks the process that listens under `name` in the directory; nothing where none does. Fails
  /// with `address_unavailable` and the reason where it refuses or does not answer in time, or what
  /// it hands over is not what it says.
  static base::expected<std::optional<predecessor>> ask(const std::string& directory,
                                                        const std::string& name);

  /// 0: a process that cannot be seen from here.
  pid_t pid() const noexcept { return pid_; }
  /// In the order of the running process; each endpoint and purpose once, with one socket at least.
  /// The caller may move the sockets away.
  std::vector<handed_listener>& listeners() noexcept { return listeners_; }

  /// Says that this process could serve now. Back without an error, it alone may accept: the other
  /// one has stopped (or died). Fails with `address_unavailable`: the other one goes on, this one
  /// must not accept.
  base::expected<void> take_over();

  /// The socket at which the next successor asks. After `take_over`; nothing where the other
  /// process took it along.
  std::optional<local_listener> take_local() noexcept { return std::exchange(local_, {}); }

private:
  predecessor(descriptor_channel to, pid_t pid) noexcept : to_{std::move(to)}, pid_{pid} {}

  base::expected<void> receive_offer(const std::string& directory, const std::string& name);
  base::expected<void> receive_listener();

  descriptor_channel to_;
  pid_t pid_;
  bool is_elsewhere_ = false;
  std::vector<handed_listener> listeners_;
  std::optional<local_listener> local_;
};

} // namespace matchcloud::http
