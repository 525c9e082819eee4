#pragma once

#include "app/config/config.hpp"
#include "app/node/exposure.hpp"
#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/takeover/handed_listener.hpp"
#include "http/takeover/handover.hpp"
#include "http/takeover/predecessor.hpp"
#include "http/transport/listener.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// The listeners of a node: binds them or takes them over from a running process, and offers them
/// to the next process. One thread.
class listening {
public:
  /// `config` must outlive this.
  explicit listening(const serve_config& config);

  /// With `take-over`, finds the process that serves the configured listeners, to take them from
  /// it.
  base::expected<void> find_predecessor();

  /// Binds or takes over the data listeners for this many loops. Errors say what to do.
  base::expected<void> open_for_loops(std::size_t loops);
  /// Binds or takes over the listener of the ops plane, unless already done.
  base::expected<void> open_ops();
  /// Logs warnings about listeners that may be configured by mistake.
  void warn() const;

  /// Tells the predecessor that this process can serve, and waits until it stops accepting. After
  /// an error the predecessor continues, and this process must not accept.
  base::expected<void> take_over();
  /// Allows another process to take over the listeners from now on.
  void offer();
  /// Stops offering the listeners. Returns whether another process has taken them.
  bool end_offer();
  void end() { handover_.reset(); }

  /// The data listeners in the order given, with the ports that were bound.
  const std::vector<data_listener>& data() const noexcept { return data_; }
  const http::endpoint& ops() const noexcept { return ops_; }
  /// The sockets of each of `data`.
  std::vector<http::listeners>& sockets() noexcept { return sockets_; }
  /// The socket of the ops plane; may be moved from.
  base::file_descriptor& ops_socket() noexcept { return ops_socket_; }

  /// Whether there is another process whose listeners this one is about to take.
  bool has_predecessor() const noexcept { return predecessor_.has_value(); }
  /// The process that has these listeners, or had them before; empty if this process binds them
  /// itself.
  std::optional<pid_t> predecessor() const noexcept { return predecessor_pid_; }
  /// Readable once another process has the listeners.
  int handed_over_fd() const noexcept { return handed_over_.get(); }
  /// The process that took over the listeners.
  std::optional<pid_t> successor() const noexcept {
    return handover_ ? handover_->successor() : std::nullopt;
  }

private:
  /// Binds `wanted`, which has no sockets yet, or takes it over, with at least one socket for each
  /// of `loops`, and offers it to a successor.
  base::expected<http::listeners> bind(http::handed_listener wanted, std::size_t loops);
  /// Adds advice on a listener whose address is in use.
  base::error advised(base::error why) const;

  const serve_config* config_;
  std::vector<data_listener> data_;
  http::endpoint ops_;
  std::vector<http::listeners> sockets_;
  base::file_descriptor ops_socket_;
  /// Only while starting: the process that still serves.
  std::optional<http::predecessor> predecessor_;
  std::optional<pid_t> predecessor_pid_;
  /// Only while starting: the listeners to offer to a successor.
  std::vector<http::handed_listener> offered_;
  /// An eventfd, readable once another process has the listeners.
  base::file_descriptor handed_over_;
  std::unique_ptr<http::handover> handover_;
};

} // namespace matchcloud::app
