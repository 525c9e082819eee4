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

/// The name of the socket at which the process that serves an endpoint offers its listeners. It
/// contains the endpoint because several processes may share a data directory.
std::string take_over_name(const endpoint& first_listener);

/// The successor's side of a take-over: a running process and the listening sockets that it offers.
/// Until `take_over` the running process accepts connections as before; if this is destroyed
/// earlier, it continues to. One thread.
class predecessor {
public:
  /// Requests the listeners of the process that listens under `name` in the directory; nothing if
  /// no process does. Fails with `address_unavailable` and the reason if that process refuses, does
  /// not answer in time, or hands over sockets that do not match its description.
  static base::expected<std::optional<predecessor>> ask(const std::string& directory,
                                                        const std::string& name);

  /// 0: a process in another pid namespace.
  pid_t pid() const noexcept { return pid_; }
  /// In the order of the running process; each endpoint and purpose once, with at least one socket.
  /// The caller may move the sockets away.
  std::vector<handed_listener>& listeners() noexcept { return listeners_; }

  /// Says that this process is ready to serve. On success only this process may accept: the other
  /// one has stopped (or died). Fails with `address_unavailable`: the other process continues and
  /// this one must not accept.
  base::expected<void> take_over();

  /// The socket at which the next successor will connect. Call after `take_over`; nothing if the
  /// other process died and the socket could not be kept.
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
