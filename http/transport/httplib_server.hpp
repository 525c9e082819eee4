#pragma once

#include "base/expected.hpp"
#include "http/limits/limits.hpp"
#include "http/transport/listener.hpp"

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace matchcloud::http {

/// cpp-httplib's server, tuned: no Nagle, a larger backlog, a listener that is never shared with
/// another process, threads with enough stack for its regular expressions, and a shutdown that does
/// not wait for idle clients.
class httplib_server final : public httplib::Server {
public:
  /// At most `waiting_limit` connections are accepted while all threads are busy; each takes a
  /// descriptor.
  explicit httplib_server(const http::limits& limits, std::size_t waiting_limit = 128);
  ~httplib_server() override;
  httplib_server(const httplib_server&) = delete;
  httplib_server& operator=(const httplib_server&) = delete;

  /// Binds and listens. Returns the endpoint with its real port, or fails with
  /// `address_unavailable`.
  base::expected<endpoint> bind(const endpoint& where);

  /// Starts a thread that serves; returns once it does. That thread calls `on_ended` when the last
  /// connection has ended.
  void start(std::function<void()> on_ended);

  /// Stops accepting. Connections continue until they exceed the idle timeout. Any thread; a second
  /// call does nothing.
  void stop_accepting();
  /// Stops reading from every connection except those whose peer `spares` accepts. Idle connections
  /// end, and so do those being answered, because httplib does not write to a connection that it
  /// cannot read from. Any thread.
  void end_input(const std::function<bool(const endpoint& peer)>& spares = {});
  /// Ends every connection in both directions: writes in progress fail. Any thread.
  void cut();
  /// Stops accepting and reading and waits for the last connection to end.
  void end();

private:
  void serve(const std::function<void()>& on_ended);

  int backlog_;
  endpoint bound_;

  std::thread thread_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

/// The error for a status that cpp-httplib itself chose; its 404 means "no handler".
base::error refusal_of(int status);

/// Sets headers from whole lines, each with its line end.
void set_header_lines(httplib::Response& into, std::string_view lines);

} // namespace matchcloud::http
