#pragma once

#include "base/expected.hpp"
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

/// How a server is tuned.
struct httplib_settings {
  /// Each serves one connection at a time, for as long as it lasts.
  std::size_t threads = 64;
  /// Connections that are accepted while all threads serve others; each is a descriptor.
  std::size_t waiting_limit = 128;
  int backlog = 128;
  std::size_t body_limit_bytes = 64 * 1024;
  std::size_t requests_per_connection = 1;
  /// How long a connection may be silent between requests.
  time_t idle_timeout_s = 5;
  /// How long one read or write may take.
  time_t io_timeout_s = 5;
};

/// cpp-httplib's server, tuned: no Nagle, a real backlog, a listener that is never shared with
/// another process, threads with a stack that its regular expressions fit in, and an end that does
/// not wait for idle clients.
class httplib_server : public httplib::Server {
public:
  explicit httplib_server(const httplib_settings& settings);
  ~httplib_server() override;
  httplib_server(const httplib_server&) = delete;
  httplib_server& operator=(const httplib_server&) = delete;

  /// Binds and listens. The endpoint with its real port, or `address_unavailable`.
  virtual base::expected<endpoint> bind(const endpoint& where);

  /// Serves on a thread of its own; returns when it does. `on_ended` is called by that thread when
  /// the last connection has ended.
  void start(std::function<void()> on_ended);

  /// Stops accepting. Connections go on until they are idle for too long. Any thread; a second call
  /// does nothing.
  void stop_accepting();
  /// Stops reading from every connection but those whose peer `spares` names: idle ones end, and
  /// so do those that are being answered, for httplib writes nothing where it cannot read. Any
  /// thread.
  void end_input(const std::function<bool(const endpoint& peer)>& spares = {});
  /// Ends every connection in both directions: what is being written to it fails. Any thread.
  void cut();
  /// Stops accepting and reading and waits for the last connection to end.
  void end();

protected:
  /// Accepts connections and has them served; returns when all are.
  virtual void accept_and_serve() { listen_after_bind(); }
  /// Has `accept_and_serve` return. Called once.
  virtual void stop_listening() { stop(); }
  /// Whether `stop_listening` has an effect already.
  virtual bool can_stop() const { return is_running(); }

  int backlog_;
  endpoint bound_;

private:
  void serve(const std::function<void()>& on_ended);

  std::thread thread_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

/// The error behind a status that cpp-httplib itself chose, 404 being "no handler".
base::error refusal_of(int status);

/// Sets headers by whole lines, each with its line end.
void set_header_lines(httplib::Response& into, std::string_view lines);

} // namespace matchcloud::http
