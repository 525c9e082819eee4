#pragma once

#include "http/httplib_server.hpp"

#include <cstddef>
#include <functional>

namespace matchcloud::http {

/// An `httplib_server` that answers one request per connection and closes so that the answer
/// arrives: cpp-httplib's own closing resets the connection, answer included, if the client has
/// sent bytes that nobody read. So a handler may answer without reading the body.
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

  explicit single_request_server(const httplib_settings& settings) : httplib_server{settings} {}
  // Its threads call `process_and_close_socket`.
  ~single_request_server() override { end(); }
  single_request_server(const single_request_server&) = delete;
  single_request_server& operator=(const single_request_server&) = delete;

private:
  /// The `process_request` of whichever version of cpp-httplib this is; a template, so that only
  /// the call that exists is compiled.
  template <class Self>
  static bool process(Self& self, httplib::Stream& stream,
                      const std::function<void(httplib::Request&)>& setup);
  bool process_and_close_socket(socket_t socket) override;
};

} // namespace matchcloud::http
