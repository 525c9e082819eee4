#include "http/httplib_server.hpp"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace matchcloud::http {

namespace {

/// Its std::regex takes about 500 bytes of stack per byte of a `Range` line, which has up to 8 KiB.
constexpr std::size_t thread_stack_bytes = 16UL * 1024 * 1024;
constexpr std::size_t requests_per_connection = 1'000'000'000;
constexpr time_t io_timeout_s = 30;
constexpr time_t keep_alive_timeout_s = 75;

void set_default_stack() {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, thread_stack_bytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

} // namespace

httplib_server::httplib_server(std::size_t threads, int backlog, std::size_t body_limit_bytes)
    : backlog_{backlog} {
  new_task_queue = [threads] {
    set_default_stack();
    // httplib deletes it.
    return new httplib::ThreadPool{threads}; // NOLINT(cppcoreguidelines-owning-memory)
  };
  set_tcp_nodelay(true);
  set_keep_alive_max_count(requests_per_connection);
  set_keep_alive_timeout(keep_alive_timeout_s);
  set_read_timeout(io_timeout_s);
  set_write_timeout(io_timeout_s);
  set_payload_max_length(body_limit_bytes);
  // The default sets SO_REUSEPORT, with which two processes share a port without noticing.
  set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
}

base::expected<endpoint> httplib_server::bind(const endpoint& where) {
  if (auto is_free = check_free(where); !is_free) return tl::unexpected(is_free.error());
  const auto host = model::to_string(where.address);
  auto port = static_cast<int>(where.port);
  if (port == 0)
    port = bind_to_any_port(host);
  else if (!bind_to_port(host, port))
    port = -1;
  // httplib listens with a backlog of 5; listening again replaces it.
  if (port <= 0 || ::listen(svr_sock_, backlog_) != 0)
    return base::fail(base::errc::address_unavailable, to_string(where) + ": cannot be bound");
  return endpoint{where.address, static_cast<std::uint16_t>(port)};
}

void httplib_server::end() noexcept {
  const socket_t listening = svr_sock_.exchange(INVALID_SOCKET);
  if (listening == INVALID_SOCKET) return;
  ::shutdown(listening, SHUT_RDWR);
  ::close(listening);
}

base::error refusal_of(int status) {
  switch (status) {
  case 404: return {base::errc::route_not_found, "No operation has this path."};
  case 413: return {base::errc::body_too_large, "The request body is larger than allowed."};
  case 414: return {base::errc::target_too_long, "The request target is longer than allowed."};
  case 400: return {base::errc::request_malformed, "The request could not be read as HTTP/1.1."};
  default: return {base::errc::internal, "The request could not be handled."};
  }
}

} // namespace matchcloud::http
