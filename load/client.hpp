#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/loop/byte_stream.hpp"
#include "http/loop/event_loop.hpp"
#include "http/loop/timer_wheel.hpp"
#include "http/tls/tls_stream.hpp"
#include "load/io.hpp"
#include "load/reply_reader.hpp"
#include "load/request_source.hpp"
#include "load/results.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
std::string reason_of(int code);

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
         std::string_view token);
  ~client() override;
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// Connects before the first request.
  void connect_ahead();
  /// Sends a request that was due at `intended`; `on_time` is when, as far as it is this program's
  /// doing. The client must have no request in progress. The bytes of `what` must stay valid until
  /// the request ends.
  void ask(const request_source::request& what, base::steady_time intended,
           base::steady_time on_time);

  const request_source::request& request() const noexcept { return request_; }
  base::steady_time intended() const noexcept { return intended_; }
  base::steady_time on_time() const noexcept { return on_time_; }
  /// How long the last bytes of the reply had been waiting when they were read; 0 if unknown (TLS).
  std::chrono::nanoseconds reply_age() const noexcept { return reply_age_; }
  /// The first `limit_bytes` of what the server sent, for a report: with the client's token masked.
  std::string excerpt(std::string_view bytes, std::size_t limit_bytes) const;
  /// `text`, which quotes parts of what the server sent, with the client's token masked. Also masks
  /// what may be the beginning of the token, in case a part ends within it.
  std::string masked(std::string text) const;
  bool is_connected() const noexcept { return stream_ && !connecting_; }
  /// TCP segments of this client's connections that were lost and resent. Leaves out connections
  /// with one request each, because reading the count would cost each request a system call.
  std::uint64_t resent_segments() const noexcept;

  /// Gives up the request in progress, if any; it fails as `abandoned`.
  void abandon();

  void on_events(std::uint32_t events) override;

protected:
  void on_deadline() override;

private:
  void open();
  bool prepare_socket();
  void reached();
  void shake_hands();
  void connected();
  void write();
  void read();
  void on_bytes(std::string_view bytes);
  void replied();
  void ended();
  void fail(failure kind, std::string_view why);
  void close();

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
