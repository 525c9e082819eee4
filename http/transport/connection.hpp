#pragma once

#include "actors/protocol.hpp"
#include "base/fault_point.hpp"
#include "http/loop/byte_stream.hpp"
#include "http/loop/event_loop.hpp"
#include "http/loop/timer_wheel.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/transport/connection_host.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/reply_sender.hpp"
#include "http/transport/request_reader.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/response.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace matchcloud::http {

/// What the bytes of a connection begin with.
enum class preamble : std::uint8_t {
  /// Nothing: its first request.
  none,
  /// A PROXY protocol header, whose address is the client's.
  trusted_proxy_header,
  /// A PROXY protocol header of a peer that is not to be believed: it must be well-formed, and what
  /// it says is dropped.
  ignored_proxy_header,
};

/// The life of one client connection of an event loop: what its reader frames becomes an exchange
/// for the front, whose answers its sender sends in order; and how long each may take. One exchange
/// at a time. Between requests it owns no buffer. Loop thread only.
class connection final : public io_handler, public timer {
public:
  /// Input discarded after the last answer, so that a reset does not eat it.
  static constexpr std::size_t linger_bytes = 512 * 1024;
  static constexpr std::chrono::milliseconds linger_timeout{2'000};

  /// `slot` names it among its transport's connections; `generation` is the last that the slot's
  /// previous connection used, so that a late reply to that one is not taken for this one's.
  connection(connection_host& host, std::unique_ptr<byte_stream> stream,
             const model::ip_address& peer, std::uint32_t slot, std::uint32_t generation,
             preamble begins_with = preamble::none);
  ~connection() override;

  /// Watches the socket. 0, or errno.
  int start();
  void on_events(std::uint32_t events) override;
  void at_turn_end();

  /// Answers the current exchange, if `ref` is its current attempt.
  void answer(actors::exchange_ref ref, response&& with);
  /// Whether `ref` is the current attempt of an exchange that is not answered.
  bool is_current(actors::exchange_ref ref) const noexcept;
  /// False where as many requests wait for that owner as may.
  bool routed(operation which, actors::owner waits_for);
  /// Dispatches the exchange again, as a further attempt, because `dead` died. False where too many
  /// died of it: then it is answered.
  bool retry(actors::handler dead);

  /// What `read_ahead` promised is in memory.
  void file_ready();

  bool waiting() const noexcept { return phase_ == phase::waiting; }
  bool is_closed() const noexcept { return phase_ == phase::closed; }
  actors::owner waits_for() const noexcept { return exchange_.waits_for; }
  operation current_operation() const noexcept { return exchange_.operation_id; }
  actors::exchange_ref current() const noexcept;
  const std::shared_ptr<admitted_request>& current_request() const noexcept { return request_; }
  std::uint32_t slot() const noexcept { return slot_; }
  std::uint32_t generation() const noexcept { return generation_; }
  const model::ip_address& peer() const noexcept { return peer_; }

  /// Since when it waits for a request, none being under way; nothing where one is.
  std::optional<base::steady_time> idle_since() const noexcept;
  /// Since when the client has taken nothing of an answer that holds bytes of the budget; nothing
  /// where it takes them or none waits.
  std::optional<base::steady_time> stalled_since() const noexcept;
  /// Closes it in favour of another, unless its next request has just come.
  bool evict_idle();
  /// Likewise, whatever is unsent, unless its client has taken some of it after all.
  bool evict_stalled();

  /// While draining: closes it if no request is under way.
  void close_if_idle();
  /// At the end of draining: answers what waits with `draining` and closes.
  void end_now();

private:
  enum class phase : std::uint8_t {
    /// Waits for a request, or receives one.
    reading,
    /// An exchange waits for its answer.
    waiting,
    /// The last answer is on its way.
    finishing,
    /// That is sent; what the client still sends is dropped.
    lingering,
    closed,
  };
  /// How much of a request has come.
  enum class receiving : std::uint8_t { nothing, head, body };

  /// The stream, which faults hit as soon as any is injected at that point.
  byte_stream& stream(base::fault_point at);
  void process();
  /// What is left of `bytes` behind the PROXY header.
  std::string_view take_proxy_header(std::string_view bytes);
  void end_proxy_header();
  void frame(std::string_view bytes);
  void take_partial();
  void begin_exchange();
  void on_end_of_input();
  /// Answers without an actor: for what never became an exchange, and for deadlines.
  void refuse(const base::error& why, bool close);
  void queue(response&& answer, bool keep_alive);
  bool sends_body(const response& answer) const noexcept;
  void settle(int status);
  void release_request();
  void schedule();
  void flush();
  void after_flush();
  /// Nothing more is read; ends once everything is sent.
  void finish();
  void linger();
  void discard();
  void close();
  /// Closes it whatever is unsent, which the kernel drops as well.
  void cut();
  void arm();
  void on_deadline() override;
  bool idle() const noexcept { return phase_ == phase::reading && reader_.is_idle(); }
  /// How long it may be idle.
  std::chrono::milliseconds idle_time() const noexcept;

  connection_host* host_;
  byte_account account_{*host_, *this};
  std::unique_ptr<byte_stream> stream_;
  /// The socket's, or the one that the PROXY header names.
  model::ip_address peer_;
  request_reader reader_;
  reply_sender sender_{*host_, *this};
  std::shared_ptr<admitted_request> request_;
  /// Of the phase: idle, head, body, request or linger.
  base::steady_time phase_deadline_;
  /// Of the request that comes, or waits for its answer.
  base::steady_time begun_;
  /// At most `linger_bytes` and one read.
  std::uint32_t discarded_bytes_ = 0;
  std::uint32_t slot_;
  std::uint32_t generation_ = 0;
  exchange_state exchange_;
  phase phase_ = phase::reading;
  receiving receiving_ = receiving::nothing;
  preamble begins_with_;
  /// The proxy says that it does not know its client: no header of a request can name it either.
  bool client_unknown_ = false;
  /// Had a request: before that it may not be idle for long.
  bool served_ = false;
  bool scheduled_ = false;
  bool stream_is_faulty_ = false;
};

} // namespace matchcloud::http
