#pragma once

#include "base/file_descriptor.hpp"
#include "http/transport/httplib_server.hpp"

#include <cstddef>
#include <functional>

namespace matchcloud::http {

/// An `httplib_server` that answers one request per connection and closes so that the answer
/// arrives: cpp-httplib's own closing resets the connection, answer included, if the client has
/// sent bytes that nobody read. So a handler may answer without reading the body.
///
/// It accepts by itself, since its listening socket may be shared with a process that takes over:
/// cpp-httplib stops by shutdown(2), which ends a socket for all who have it.
class single_request_server final : public httplib_server {
public:
  /// Bytes that are read and dropped after an answer, and how long that may take.
  static constexpr std::size_t linger_limit_bytes = 1024 * 1024;
  static constexpr int linger_limit_ms = 2'000;

  /// The whole head of a request, and how long it may take; a connection beyond is closed, for it
  /// holds a thread.
  static constexpr std::size_t head_limit_bytes = 64 * 1024;
  static constexpr int head_timeout_ms = 5'000;
  /// One line: of the head, or with the size of a chunk.
  static constexpr std::size_t line_limit_bytes = 16 * 1024;

  /// Between looks at whether there are descriptors again.
  static constexpr int accept_pause_ms = 50;

  explicit single_request_server(const httplib_settings& settings);
  // Its threads call `process_and_close_socket`.
  ~single_request_server() override { end(); }
  single_request_server(const single_request_server&) = delete;
  single_request_server& operator=(const single_request_server&) = delete;

  /// Instead of `bind`: takes a socket that listens at `where` already. Fails with
  /// `address_unavailable`.
  base::expected<endpoint> adopt(base::file_descriptor listening, const endpoint& where);
  base::expected<endpoint> bind(const endpoint& where) override;
  /// What listens; after `bind` or `adopt`, before `start`.
  const base::file_descriptor& listening() const noexcept { return listening_; }

private:
  void stop_listening() override;
  void accept_and_serve() override;
  bool can_stop() const override { return true; }
  /// The next connection; nothing where it is to stop.
  base::file_descriptor next_connection();

  /// The `process_request` of whichever version of cpp-httplib this is; a template, so that only
  /// the call that exists is compiled.
  template <class Self>
  static bool process(Self& self, httplib::Stream& stream,
                      const std::function<void(httplib::Request&)>& setup);
  bool process_and_close_socket(socket_t socket) override;

  /// Of the accepting thread from `start` on, which closes it.
  base::file_descriptor listening_;
  /// An eventfd: readable once accepting is to stop.
  base::file_descriptor stop_;
};

} // namespace matchcloud::http
