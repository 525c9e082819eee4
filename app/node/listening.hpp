#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "http/ops/ops_plane.hpp"
#include "http/takeover/handed_listener.hpp"
#include "http/takeover/handover.hpp"
#include "http/takeover/predecessor.hpp"
#include "http/transport/httplib_transport.hpp"
#include "http/transport/listener.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace matchcloud::app {

/// Where a node listens: binds its listeners or takes those of a running process over, and offers
/// them to the next one. One thread.
class listening {
public:
  /// `config` outlives this.
  explicit listening(const serve_config& config);

  /// With `take-over`: the process that serves these listeners, from which they come.
  base::expected<void> find_predecessor();

  /// Binds or takes over the data listeners, for so many loops. Errors say what to do.
  base::expected<void> open_for_loops(std::size_t loops);
  /// Likewise for the transport httplib, which cannot be taken over.
  base::expected<void> open_for(http::httplib_transport& transport);
  /// Likewise the ops plane's listener.
  base::expected<void> open_ops(http::ops_plane& plane);
  /// Says in the log what about the listeners may not be meant.
  void warn() const;

  /// Waits until no other process accepts any more.
  base::expected<void> take_over();
  /// From now on another process may take the listeners over.
  void offer();
  /// From now on none may. Whether one has.
  bool end_offer();
  void end() { handover_.reset(); }

  /// The data listeners in the order given, with their real ports.
  const std::vector<data_listener>& data() const noexcept { return data_; }
  const http::endpoint& ops() const noexcept { return ops_; }
  /// The sockets of each of `data`; none with the transport httplib.
  std::vector<http::listeners>& sockets() noexcept { return sockets_; }

  /// Whose listeners these were; nothing where this process bound them itself.
  std::optional<pid_t> predecessor() const noexcept { return predecessor_pid_; }
  /// Readable once another process has the listeners.
  int handed_over_fd() const noexcept { return handed_over_.get(); }
  /// Which process that is.
  std::optional<pid_t> successor() const noexcept {
    return handover_ ? handover_->successor() : std::nullopt;
  }

private:
  /// The endpoint with its real port.
  base::expected<http::endpoint> bind(const data_listener& wanted, std::size_t loops);
  /// Likewise with sockets of the predecessor.
  base::expected<http::listeners> adopt(const data_listener& wanted);
  base::expected<http::endpoint> adopt_or_bind(http::ops_plane& plane);
  /// With what to do about a listener that is taken.
  base::error advised(base::error why) const;

  const serve_config* config_;
  std::vector<data_listener> data_;
  http::endpoint ops_;
  std::vector<http::listeners> sockets_;
  /// While starting: who serves meanwhile.
  std::optional<http::predecessor> predecessor_;
  std::optional<pid_t> predecessor_pid_;
  /// While starting: what a successor will be offered.
  std::vector<http::handed_listener> offered_;
  /// An eventfd.
  base::file_descriptor handed_over_;
  std::unique_ptr<http::handover> handover_;
};

} // namespace matchcloud::app
