#pragma once

#include "base/file_descriptor.hpp"
#include "http/transport/httplib_server.hpp"

#include <cstddef>
#include <functional>

namespace matchcloud::http {

/// An `httplib_server` that answers one request per connection and closes so that the answer
/// arrives: cpp-httplib's own close resets the connection, and the answer is lost, if the client
/// has sent bytes that nobody read. A handler may therefore answer without reading the body.
///
/// It accepts connections itself, because its listening socket may be shared with a process that
/// takes over: cpp-httplib stops by shutdown(2), which stops the socket for all processes.
class single_request_server final : public httplib_server {
public:
  /// How many bytes are read and dropped after an answer, and for how long.
  static constexpr std::size_t linger_limit_bytes = 1024 * 1024;
  static constexpr int linger_limit_ms = 2'000;

  /// Limits for the whole head of a request; a connection that exceeds them is closed, because it
  /// occupies a thread.
  static constexpr std::size_t head_limit_bytes = 64 * 1024;
  static constexpr int head_timeout_ms = 5'000;
  /// Limit for one line: of the head, or a chunk's size line.
  static constexpr std::size_t line_limit_bytes = 16 * 1024;

  /// Interval at which accepting is retried after running out of descriptors.
  static constexpr int accept_pause_ms = 50;

  explicit single_request_server(const httplib_settings& settings);
  // Its threads call `process_and_close_socket`.
  ~single_request_server() override { end(); }
  single_request_server(const single_request_server&) = delete;
  single_request_server& operator=(const single_request_server&) = delete;

  /// An alternative to `bind`: takes a socket that listens at `where` already. Fails with
  /// `address_unavailable`.
  base::expected<endpoint> adopt(base::file_descriptor listening, const endpoint& where);
  base::expected<endpoint> bind(const endpoint& where) override;
  /// The listening socket; call after `bind` or `adopt` and before `start`.
  const base::file_descriptor& listening() const noexcept { return listening_; }

private:
  void stop_listening() override;
  void accept_and_serve() override;
  bool can_stop() const override { return true; }
  /// The next connection; empty when the server is to stop.
  base::file_descriptor next_connection();

  /// Calls `process_request` in the signature of the installed cpp-httplib; a template, so that
  /// only the call that exists is compiled.
  template <class Self>
  static bool process(Self& self, httplib::Stream& stream,
                      const std::function<void(httplib::Request&)>& setup);
  bool process_and_close_socket(socket_t socket) override;

  /// Used by the accepting thread from `start` on, which closes it.
  base::file_descriptor listening_;
  /// An eventfd: readable once accepting is to stop.
  base::file_descriptor stop_;
};

} // namespace matchcloud::http
