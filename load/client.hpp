#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/loop/byte_stream.hpp"
#include "http/loop/event_loop.hpp"
#include "http/tls/tls_stream.hpp"
#include "load/io.hpp"
#include "load/reply_reader.hpp"
#include "load/request_source.hpp"
#include "load/results.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::load {

class client;

/// A socket address of any family.
struct network_address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// An errno in words.
inline std::string reason_of(int code) {
  return std::generic_category().message(code);
}

/// `local` if this machine lacked a resource for the connection, otherwise `connect`.
inline failure kind_of(int code) noexcept {
  switch (code) {
  case EADDRNOTAVAIL:
  case EMFILE:
  case ENFILE:
  case ENOBUFS:
  case ENOMEM: return failure::local;
  default: return failure::connect;
  }
}

/// What all clients of a thread share. Must outlive them.
struct client_setup {
  http::event_loop& loop;
  network_address server;
  /// Null: without TLS.
  std::shared_ptr<http::tls_context> tls;
  /// The host name that the server's certificate must be for.
  std::string host_name;
  std::chrono::milliseconds timeout;
  /// The number of replies after which a connection is closed; 0: never.
  std::uint64_t requests_per_connection;
  std::vector<char> read_buffer;
};

/// What clients tell their owner.
class client_host {
public:
  virtual ~client_host() = default;

  /// The reply to the request is complete; the client can accept the next request. `that` is valid
  /// during the call, until the client accepts a request.
  virtual void on_reply(client& from, const reply& that) = 0;
  /// The request failed; the client can accept the next request. `why`: the reason in words.
  virtual void on_failure(client& from, failure kind, std::string_view why) = 0;
  /// `connect_ahead` has ended, with a connection or without.
  virtual void on_connected_ahead(client& from) = 0;
};

/// Holds one connection at a time to the server and sends one request at a time. Connects when it
/// has something to send. Used on the thread of its loop.
class client final : public http::io_handler, private http::timer {
public:
  /// `source`: the address to connect from; if missing, the kernel chooses. `token`: inserted into
  /// each request that has a place for it; must outlive the client.
  client(client_host& host, client_setup& setup, const std::optional<network_address>& source,
         std::string_view token)
      : host_{&host}, setup_{&setup}, source_{source}, token_{token} {}
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// Connects before the first request.
  void connect_ahead() {
    deadline_ = setup_->loop.now() + setup_->timeout;
    setup_->loop.timers().arm(*this, deadline_);
    open();
  }

  /// Sends a request that was due at `intended`; `on_time` is when, as far as it is this program's
  /// doing. The client must have no request in progress. The bytes of `what` must stay valid until
  /// the request ends.
  void ask(const request_source::request& what, base::steady_time intended,
           base::steady_time on_time) {
    request_ = what;
    intended_ = intended;
    on_time_ = on_time;
    has_request_ = true;
    unsent_ = {what.bytes.substr(0, what.token_at), token_, what.bytes.substr(what.token_at)};
    deadline_ = setup_->loop.now() + setup_->timeout;
    setup_->loop.timers().arm(*this, deadline_);
    reader_.reset(what.bytes.starts_with("HEAD "));
    if (!stream_)
      open();
    else if (!connecting_)
      write();
  }

  const request_source::request& request() const noexcept { return request_; }
  base::steady_time intended() const noexcept { return intended_; }
  base::steady_time on_time() const noexcept { return on_time_; }
  /// How long the last bytes of the reply had been waiting when they were read; 0 if unknown (TLS).
  std::chrono::nanoseconds reply_age() const noexcept { return reply_age_; }
  /// `text`, which quotes parts of what the server sent, with the client's token masked. Also masks
  /// what may be the beginning of the token, in case a part ends within it.
  std::string masked(std::string text) const {
    constexpr std::size_t telling = 4;
    const std::string_view token{token_};
    for (std::size_t at = 0; at < text.size() && !token.empty();) {
      const auto rest = std::string_view{text}.substr(at);
      const auto same =
          static_cast<std::size_t>(std::ranges::mismatch(rest, token).in1 - rest.begin());
      const bool is_token = same >= std::min(telling, token.size());
      if (is_token) std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), same, '*');
      at += is_token ? same : 1;
    }
    return text;
  }

  bool is_connected() const noexcept { return stream_ && !connecting_; }
  /// TCP segments of this client's connections that were lost and resent. Leaves out connections
  /// with one request each, because reading the count would cost each request a system call.
  std::uint64_t resent_segments() const noexcept {
    if (!stream_ || setup_->requests_per_connection == 1) return resent_segments_;
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(stream_->descriptor(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
      return resent_segments_;
    return resent_segments_ + info.tcpi_total_retrans;
  }

  /// Gives up the request in progress, if any; it fails as `abandoned`.
  void abandon() {
    if (has_request_) fail(failure::abandoned, "no reply before the run was ended");
  }

  void on_events(std::uint32_t events) override {
    if (!stream_) return;
    if (handshaking_ != nullptr) {
      shake_hands();
      if (!stream_ || connecting_) return;
    } else if (connecting_) {
      int code = 0;
      socklen_t size = sizeof code;
      ::getsockopt(stream_->descriptor(), SOL_SOCKET, SO_ERROR, &code, &size);
      if (code != 0) return fail(failure::connect, reason_of(code));
      if ((events & EPOLLOUT) == 0) return;
      reached();
      if (!stream_ || connecting_) return;
    } else if ((events & EPOLLOUT) != 0 && !unsent_.empty()) {
      write();
    }
    if (stream_ && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
      peer_ended_ = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
      read();
    }
  }

protected:
  void on_deadline() override {
    if (!has_request_ && !connecting_) return;
    if (setup_->loop.now() < deadline_) return setup_->loop.timers().arm(*this, deadline_);
    if (connecting_)
      return fail(failure::connect, handshaking_ != nullptr ? "the TLS handshake timed out"
                                                            : "the connection attempt timed out");
    // A reply that arrived in time counts even if this program was too busy to read it.
    const auto connection = connection_;
    read();
    if (has_request_ && connection == connection_ && setup_->loop.now() >= deadline_)
      fail(failure::timeout, reader_.untouched() ? "no reply" : "incomplete reply");
  }

private:
  void open() {
    ++connection_;
    replies_ = 0;
    peer_ended_ = false;
    if (!prepare_socket()) return fail(kind_of(errno), reason_of(errno));
    connecting_ = true;
    const auto& server = setup_->server;
    if (::connect(stream_->descriptor(), server.get(), server.length) == 0) return reached();
    if (errno != EINPROGRESS) fail(kind_of(errno), reason_of(errno));
  }

  bool prepare_socket() {
    const int family = setup_->server.storage.ss_family;
    base::file_descriptor socket{::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!socket) return false;
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!setup_->tls) note_arrivals(socket.get());
    if (source_) {
      // The kernel chooses the port at connect(), when the peer is known, so that each source
      // address can use all ports.
      ::setsockopt(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
      if (::bind(socket.get(), source_->get(), source_->length) != 0) return false;
    }
    errno = setup_->loop.watch(socket.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this);
    if (errno != 0) return false;
    stream_ = std::make_unique<http::socket_stream>(std::move(socket));
    return true;
  }

  void reached() {
    if (!setup_->tls) return connected();
    auto tls =
        std::make_unique<http::tls_stream>(std::move(stream_), setup_->tls, setup_->host_name);
    handshaking_ = tls.get();
    stream_ = std::move(tls);
    shake_hands();
  }

  void shake_hands() {
    auto status = http::handshake_status::more;
    while (status == http::handshake_status::more)
      status = handshaking_->handshake();
    if (status == http::handshake_status::blocked) return;
    if (status != http::handshake_status::done) {
      const auto why = "TLS: " + handshaking_->failure();
      return fail(failure::connect, why);
    }
    handshaking_ = nullptr;
    connected();
  }

  void connected() {
    connecting_ = false;
    if (has_request_)
      write();
    else
      host_->on_connected_ahead(*this);
  }

  void write() {
    while (!unsent_.empty()) {
      const auto sent = unsent_.send(*stream_);
      if (sent == http::io_status::moved) continue;
      // A server that refuses a request may close the connection before reading all of it; its
      // reply still counts.
      if (sent != http::io_status::blocked) unsent_ = {};
      return;
    }
  }

  void read() {
    const std::span buffer{setup_->read_buffer};
    // A reply may end this connection, and the next request may open another.
    const auto connection = connection_;
    while (stream_ && connection == connection_) {
      const auto [got, age] = setup_->tls ? timed_result{stream_->read(buffer)}
                                          : read_timed(stream_->descriptor(), buffer);
      switch (got.status) {
      case http::io_status::moved: reply_age_ = age; break;
      case http::io_status::blocked: return;
      case http::io_status::ended: return ended();
      case http::io_status::failed:
        return has_request_ ? fail(failure::reset, reason_of(errno)) : close();
      }
      if (got.bytes > 0) on_bytes({buffer.data(), got.bytes});
      if (!peer_ended_ && !got.more) return;
    }
  }

  void on_bytes(std::string_view bytes) {
    // The bytes belong to no request.
    if (!has_request_) return close();
    switch (reader_.feed(bytes)) {
    case reply_reader::progress::more:
      if (request_.cut_bytes > 0 && reader_.is_cut_at(request_.cut_bytes)) replied();
      return;
    case reply_reader::progress::complete: return replied();
    case reply_reader::progress::malformed:
      return fail(failure::malformed,
                  reader_.has_extra_bytes()
                      ? "more bytes than the reply should have"
                      : "begins with \"" + masked(std::string{bytes.substr(0, 40)}) + "\"");
    }
  }

  void replied() {
    has_request_ = false;
    ++replies_;
    const auto limit = setup_->requests_per_connection;
    // If a request was refused before all of it was sent, the server would read the rest as the
    // next request.
    if (reader_.current().closes || peer_ended_ || !unsent_.empty() || request_.cut_bytes > 0 ||
        (limit != 0 && replies_ >= limit))
      close();
    host_->on_reply(*this, reader_.current());
  }

  void ended() {
    if (!has_request_) return close();
    if (reader_.end() == reply_reader::progress::complete) return replied();
    fail(failure::closed,
         reader_.untouched() ? "closed without a reply" : "closed in the middle of a reply");
  }

  void fail(failure kind, std::string_view why) {
    const bool ahead = !has_request_;
    has_request_ = false;
    close();
    if (ahead)
      host_->on_connected_ahead(*this);
    else
      host_->on_failure(*this, kind, why);
  }

  void close() {
    resent_segments_ = resent_segments();
    connecting_ = false;
    unsent_ = {};
    handshaking_ = nullptr;
    // Closing the descriptor removes it from the epoll set.
    stream_.reset();
  }

  client_host* host_;
  client_setup* setup_;
  std::optional<network_address> source_;
  std::string_view token_;
  std::unique_ptr<http::byte_stream> stream_;
  /// Points to `stream_` while its handshake is in progress; null otherwise.
  http::tls_stream* handshaking_ = nullptr;
  bool connecting_ = false;
  bool has_request_ = false;
  /// The server has closed the connection: nothing follows the bytes that can still be read.
  bool peer_ended_ = false;
  /// The number of connections begun so far, which identifies the current one.
  std::uint64_t connection_ = 0;
  std::uint64_t replies_ = 0;
  /// The count for connections before the current one.
  std::uint64_t resent_segments_ = 0;
  request_source::request request_{};
  unsent_bytes unsent_;
  base::steady_time intended_;
  base::steady_time on_time_;
  base::steady_time deadline_;
  std::chrono::nanoseconds reply_age_{0};
  reply_reader reader_;
};

} // namespace matchcloud::load
