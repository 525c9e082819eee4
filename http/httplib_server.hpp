#pragma once

#include "base/expected.hpp"
#include "http/listener.hpp"

#include <httplib.h>

#include <cstddef>

namespace matchcloud::http {

/// cpp-httplib's server, tuned: no Nagle, a real backlog, long keep-alive, a listener that is never
/// shared with another process, threads with a stack that its regular expressions fit in.
class httplib_server final : public httplib::Server {
public:
  /// `threads`: each serves one connection at a time, for as long as it lasts.
  httplib_server(std::size_t threads, int backlog, std::size_t body_limit_bytes);

  /// Binds and listens. The endpoint with its real port, or `address_unavailable`. Serve with
  /// `listen_after_bind`, end with `end`.
  base::expected<endpoint> bind(const endpoint& where);
  /// Stops listening, also before `listen_after_bind` has begun (then it returns at once): there
  /// httplib's own `stop` does nothing. Any thread.
  void end() noexcept;

private:
  int backlog_;
};

/// The error behind a status that cpp-httplib itself chose, 404 being "no handler".
base::error refusal_of(int status);

} // namespace matchcloud::http
