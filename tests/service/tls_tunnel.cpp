#include "tests/service/tls_tunnel.hpp"

#include "tests/fixtures/loopback.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace matchcloud::e2e {

namespace {

using fixtures::loopback_address;

constexpr std::size_t buffer_bytes = 64UL * 1024;

SSL_CTX* client_context() {
  static SSL_CTX* const made = [] {
    auto* context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
  }();
  return made;
}

bool would_block() {
  return errno == EAGAIN || errno == EINTR;
}

} // namespace

bool tests_over_tls() {
  const char* said = std::getenv("MATCHCLOUD_TEST_TLS"); // NOLINT(concurrency-mt-unsafe)
  return said != nullptr && std::string{said} == "1";
}

/// A client's connection and the one to the server.
class tls_tunnel::pair {
public:
  pair(int client, std::uint16_t port)
      : client_{client},
        server_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)},
        tls_{SSL_new(client_context())} {
    const int on = 1;
    for (const int each : {client_, server_})
      ::setsockopt(each, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // From the client's own address, which the service tells apart from others.
    sockaddr_in from{};
    socklen_t length = sizeof from;
    ::getpeername(client_, reinterpret_cast<sockaddr*>(&from), &length);
    from.sin_port = 0;
    ::bind(server_, reinterpret_cast<const sockaddr*>(&from), sizeof from);
    const auto to = loopback_address(port);
    is_over_ = ::connect(server_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 &&
               errno != EINPROGRESS;
    SSL_set_fd(tls_, server_);
    SSL_set_connect_state(tls_);
  }
  ~pair() {
    // Otherwise the client could take the end of the tunnel for one of the server's.
    const linger at_once{1, 0};
    for (const int each : {client_, server_}) {
      if (was_reset_) ::setsockopt(each, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      ::close(each);
    }
    SSL_free(tls_);
  }

  bool is_over() const noexcept { return is_over_; }

  std::array<pollfd, 2> watched() const {
    pollfd client{client_, 0, 0};
    pollfd server{server_, 0, 0};
    if (!client_ended_ && to_server_.empty()) client.events |= POLLIN;
    if (!to_client_.empty()) client.events |= POLLOUT;
    if (!server_ended_ && to_client_.empty()) server.events |= POLLIN;
    if (wants_write_) server.events |= POLLOUT;
    return {client, server};
  }

  void move() {
    wants_write_ = false;
    ERR_clear_error();
    if (SSL_is_init_finished(tls_) == 0) {
      const int done = SSL_do_handshake(tls_);
      if (done != 1) return note(done);
    }
    read_client();
    write_server();
    read_server();
    write_client();
    is_over_ = is_over_ || (client_ended_ && server_ended_ && to_client_.empty());
  }

private:
  void reset() {
    was_reset_ = true;
    is_over_ = true;
  }

  /// What OpenSSL waits for, or that the server is gone.
  void note(int result) {
    switch (SSL_get_error(tls_, result)) {
    case SSL_ERROR_WANT_READ: return;
    case SSL_ERROR_WANT_WRITE: wants_write_ = true; return;
    default: return reset();
    }
  }

  void read_client() {
    if (client_ended_ || !to_server_.empty() || is_over_) return;
    to_server_.resize(buffer_bytes);
    const auto got = ::recv(client_, to_server_.data(), to_server_.size(), 0);
    const bool waits = got < 0 && would_block();
    to_server_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got < 0 && !waits) return reset();
    if (got != 0) return;
    client_ended_ = true;
    SSL_shutdown(tls_);
    ::shutdown(server_, SHUT_WR);
  }

  void write_server() {
    while (!to_server_.empty() && !is_over_) {
      const int sent = SSL_write(tls_, to_server_.data(), static_cast<int>(to_server_.size()));
      if (sent <= 0) return note(sent);
      to_server_.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void read_server() {
    if (server_ended_ || !to_client_.empty() || is_over_) return;
    to_client_.resize(buffer_bytes);
    const int got = SSL_read(tls_, to_client_.data(), static_cast<int>(to_client_.size()));
    to_client_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got > 0) return;
    if (SSL_get_error(tls_, got) == SSL_ERROR_ZERO_RETURN) {
      server_ended_ = true;
      ::shutdown(client_, SHUT_WR);
      return;
    }
    note(got);
  }

  void write_client() {
    while (!to_client_.empty() && !is_over_) {
      const auto sent = ::send(client_, to_client_.data(), to_client_.size(), MSG_NOSIGNAL);
      if (sent < 0 && would_block()) return;
      if (sent < 0) return reset();
      to_client_.erase(0, static_cast<std::size_t>(sent));
      if (to_client_.empty() && SSL_pending(tls_) > 0) read_server();
    }
  }

  int client_;
  int server_;
  SSL* tls_;
  std::string to_server_;
  std::string to_client_;
  bool wants_write_ = true;
  bool client_ended_ = false;
  bool server_ended_ = false;
  bool was_reset_ = false;
  bool is_over_ = false;
};

tls_tunnel::tls_tunnel()
    : listener_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)},
      ending_{::eventfd(0, EFD_CLOEXEC)} {
  auto here = loopback_address(0);
  socklen_t length = sizeof here;
  auto* plain = reinterpret_cast<sockaddr*>(&here);
  if (::bind(listener_, plain, length) != 0 || ::listen(listener_, 4'096) != 0 ||
      ::getsockname(listener_, plain, &length) != 0)
    throw std::runtime_error{"a tunnel cannot listen"};
  where_ = {"127.0.0.1", ntohs(here.sin_port)};
  std::signal(SIGPIPE, SIG_IGN); // OpenSSL's writes have no flag against it
}

tls_tunnel::~tls_tunnel() {
  ::eventfd_write(ending_, 1);
  if (thread_.joinable()) thread_.join();
  ::close(listener_);
  ::close(ending_);
}

void tls_tunnel::lead_to(const address& server) {
  thread_ = std::thread{[this, server] { run(server); }};
}

void tls_tunnel::run(const address& server) {
  std::vector<pollfd> watched;
  while (true) {
    watched.assign({{ending_, POLLIN, 0}, {listener_, POLLIN, 0}});
    for (const auto& each : pairs_)
      for (const auto& one : each->watched())
        watched.push_back(one);
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched[0].revents != 0) return;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      if (watched[2 + 2 * i].revents != 0 || watched[3 + 2 * i].revents != 0) pairs_[i]->move();
    std::erase_if(pairs_, [](const auto& each) { return each->is_over(); });
    for (int client = 0;
         (client = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
      pairs_.push_back(std::make_unique<pair>(client, server.port));
  }
}

} // namespace matchcloud::e2e
