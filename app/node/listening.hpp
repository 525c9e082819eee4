#pragma once

#include "app/config/config.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/takeover/handover.hpp"
#include "http/transport/listener.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace matchcloud::app {

/// Finds the process that serves one of the configured listeners from the same data directory.
/// Empty if there is none. Throws `base::failure` with `address_unavailable`, naming the
/// differences, if its listeners are not exactly the configured ones.
std::optional<http::predecessor> find_predecessor(const serve_config& config);

/// Sets the backlog of the listening sockets and adds duplicates until there are `least`. Throws
/// `base::failure` with `io_failed`.
void spread(std::vector<base::file_descriptor>& sockets, std::size_t least, int backlog);

/// The listeners of a node: binds them or takes them over from a running process, and offers them
/// to the next process. What cannot be done is a `base::failure` that says what to do. One thread.
class listening {
public:
  /// `config` must outlive this.
  explicit listening(const serve_config& config) : config_{&config} {}

  /// With `take-over`, finds the process that serves the configured listeners, to take them from
  /// it. Asks again for a second while their addresses are in use: that process may have taken them
  /// over just now.
  void find_predecessor();

  /// Binds or takes over the listener of the ops plane, once it is clear that the others are free.
  void open_ops();
  /// Binds or takes over the data listeners for this many loops.
  void open_for_loops(std::size_t loops);

  /// Tells the predecessor, which there must be, that this process can serve, and waits until it
  /// stops accepting. If that fails, the predecessor continues, and this process must not accept.
  void take_over();
  /// Allows another process to take over the listeners from now on.
  void offer();
  /// Stops offering the listeners. Returns whether another process has taken them.
  bool end_offer();
  void end() { handover_.reset(); }

  /// The data listeners in the order given, with the ports that were bound.
  const std::vector<data_listener>& data() const noexcept { return data_; }
  const http::endpoint& ops() const noexcept { return ops_; }
  /// The sockets of each of `data`, and that of the ops plane; they may be moved from.
  std::vector<http::listeners>& sockets() noexcept { return sockets_; }
  base::file_descriptor& ops_socket() noexcept { return ops_socket_; }

  /// Whether there is another process whose listeners this one is about to take.
  bool has_predecessor() const noexcept { return predecessor_.has_value(); }
  /// The process that has these listeners, or had them before; empty if this process binds them
  /// itself.
  std::optional<pid_t> predecessor() const noexcept { return predecessor_pid_; }
  /// Readable once another process has the listeners; -1 if they are not offered.
  int handed_over_fd() const noexcept { return handover_ ? handover_->handed_over_fd() : -1; }
  /// The process that took over the listeners.
  std::optional<pid_t> successor() const noexcept {
    return handover_ ? handover_->successor() : std::nullopt;
  }

private:
  /// Binds a listener or takes it over, with at least one socket for each of `loops`, and keeps it
  /// to offer it to a successor.
  http::listeners bind(const http::endpoint& where, http::listener_kind kind, bool is_ops,
                       std::size_t loops);
  /// The value, or a failure with advice on a listener whose address is in use.
  template <class Value>
  Value value_of(base::expected<Value> bound) const;

  const serve_config* config_;
  std::vector<data_listener> data_;
  http::endpoint ops_;
  std::vector<http::listeners> sockets_;
  base::file_descriptor ops_socket_;
  /// Only while starting: the process that still serves.
  std::optional<http::predecessor> predecessor_;
  std::optional<pid_t> predecessor_pid_;
  /// Only while starting: the listeners to offer to a successor.
  http::handed_listeners offered_;
  std::optional<http::handover> handover_;
};

} // namespace matchcloud::app
