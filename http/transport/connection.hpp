#pragma once

#include "actors/request/messages.hpp"
#include "base/fault_point.hpp"
#include "http/loop/faulty_stream.hpp"
#include "http/tls/tls_context.hpp"
#include "http/tls/tls_stream.hpp"
#include "http/transport/client_exchange.hpp"
#include "http/transport/reply_sender.hpp"
#include "http/transport/request_reader.hpp"
#include "http/wire/response.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace matchcloud::http {

/// How a connection begins.
enum class preamble : std::uint8_t {
  /// Without a preamble: with its first request.
  none,
  /// With a PROXY protocol header, whose address is the client's.
  trusted_proxy_header,
  /// With a PROXY protocol header of an untrusted peer: it must be well-formed, but its content is
  /// ignored.
  ignored_proxy_header,
};

/// Why a connection is closed in favour of another: it is idle, its request or its last answer has
/// been unfinished for long, its client receives nothing of an answer, or nothing of one that holds
/// bytes of the budget, or its TLS handshake is in progress.
enum class eviction : std::uint8_t { idle, unfinished, blocked, stalled, handshake };
inline constexpr std::size_t eviction_count = 5;

/// One client connection of an event loop: requests that its reader frames become exchanges for the
/// front, and its sender sends their answers in order. Enforces the deadlines of each phase. One
/// exchange at a time. Between requests it owns no buffer. Loop thread only.
class connection final : public io_handler, public timer {
public:
  /// How much input is discarded after the last answer, so that a reset does not destroy the
  /// answer.
  static constexpr std::size_t linger_bytes = 512 * 1024;
  /// The same where a request was answered before the end of its body: many clients send all of a
  /// body before they read. More than gigabit Ethernet carries in `linger_timeout`.
  static constexpr std::size_t body_linger_bytes = 256UL * 1024 * 1024;
  static constexpr std::chrono::milliseconds linger_timeout{2'000};
  /// After this many answers in a row that a rate limit refused, the next request is read only
  /// after `refusal_pause`; after `refusals_limit`, the connection closes. Connections of trusted
  /// proxies are exempt, because they carry many clients.
  static constexpr std::uint32_t unpaused_refusals = 16;
  static constexpr std::chrono::milliseconds refusal_pause{1'000};
  static constexpr std::uint32_t refusals_limit = 64;

  /// `slot` identifies the connection in its transport; `generation` is the last one that the
  /// slot's previous connection used, so that a late reply to that connection is not mistaken for
  /// one to this. `tls`: the connection speaks TLS, after its preamble; null: it does not.
  connection(connection_host& host, std::unique_ptr<byte_stream> stream,
             const model::ip_address& peer, std::uint32_t slot, std::uint32_t generation,
             preamble begins_with = preamble::none, std::shared_ptr<tls_context> tls = nullptr);
  ~connection() override;

  /// Reads what has already arrived. Watches the socket from the end of the turn on, if the
  /// connection is still open then; if that fails, it closes.
  void start();
  void on_events(std::uint32_t events) override;
  /// Takes the step that was scheduled; nothing if it was not.
  void take_turn(step what);

  // -- for the current attempt of an unanswered exchange -----------------------

  void answer(response&& with);
  /// The owner accepts `bytes` more of the body.
  void grant(std::size_t bytes);
  /// Sends a part of the answer that `answer` began.
  void send_part(std::string_view bytes, bool is_last);
  /// Whether `ref` is the current attempt of an unanswered exchange.
  bool is_current(actors::exchange_ref ref) const noexcept;
  /// Notes the operation and its owner. False if the owner's mailbox is full.
  bool routed(operation which, base::owner waits_for);
  /// The front has taken the exchange, which counts as `units` of a lane in service.
  void begin_service(lane of, std::uint32_t units) { exchange_.begin_service(of, units); }
  /// Dispatches the exchange again, as a further attempt, because `dead` died. False if the retry
  /// is refused (see `begin_retry`): the exchange is then answered.
  bool retry(actors::handler dead);

  /// The part of a file that `read_ahead` was to read is in memory.
  void file_ready();

  /// Whether the connection counts in its client's share. The acceptor sets this.
  bool in_share = false;

  bool waiting() const noexcept { return phase_ == phase::waiting; }
  bool streaming() const noexcept { return phase_ == phase::streaming; }
  bool is_closed() const noexcept { return phase_ == phase::closed; }
  base::owner waits_for() const noexcept { return exchange_.waits_for; }
  operation current_operation() const noexcept { return exchange_.operation_id; }
  actors::exchange_ref current() const noexcept;
  const request_ptr& current_request() const noexcept { return exchange_.request; }
  std::uint32_t slot() const noexcept { return slot_; }
  std::uint32_t generation() const noexcept { return generation_; }
  const model::ip_address& peer() const noexcept { return peer_; }
  /// The lanes of the peer, and of the client that sent the current request.
  lane peer_lane() const noexcept { return peer_lane_; }
  lane client_lane() const noexcept { return exchange_.client_lane(); }

  /// Since when the connection has been a candidate; nothing if it is none. One in its handshake
  /// counts as idle and as unfinished, too.
  std::optional<base::steady_time> since(eviction why) const noexcept;
  /// Closes the connection in favour of another. False, and it stays: its next bytes have just
  /// arrived, or its client has received something after all. An incomplete request is answered;
  /// what a client does not receive is dropped.
  bool evict(eviction why);

  /// While draining: closes the connection if no request is under way.
  void close_if_idle();
  /// At the end of draining: answers an open request with `draining` and closes.
  void end_now();

private:
  enum class phase : std::uint8_t {
    /// Nothing of a request has been framed.
    idle,
    /// A part of a TLS record has arrived, which may begin a request.
    record,
    /// A part of a request's head, or of a body that is collected, has arrived.
    head,
    body,
    /// The TLS handshake is in progress.
    handshaking,
    /// An exchange waits for its answer.
    waiting,
    /// The head of an answer is sent or queued, and its owner sends the body in parts.
    streaming,
    /// The last answer is being sent.
    finishing,
    /// The last answer is sent; further input is discarded.
    lingering,
    closed,
  };
  /// Registers the socket with the loop, once.
  void watch();
  /// The stream, wrapped for fault injection once any fault is injected at that point.
  byte_stream& stream(base::fault_point at);
  /// From now on the connection speaks TLS; `received` arrived after its preamble.
  void begin_tls(std::string_view received);
  void shake_hands();
  void end_tls_handshake(handshake_end how);
  void fail_handshake();
  /// A part of a TLS record has arrived: the rest has the deadline of a head.
  void await_record();
  /// The record contained nothing of a request: the connection is as idle as before.
  void forget_record();
  void process();
  /// Returns the part of `bytes` after the PROXY header.
  std::string_view take_proxy_header(std::string_view bytes);
  void end_proxy_header();
  void frame(std::string_view bytes);
  void take_partial();
  /// The head announces a body: decides how it is read.
  void on_head();
  /// Notes the client in the request.
  void identify_client();
  void begin_exchange();
  /// Waits for a request, or receives one.
  bool is_reading() const noexcept { return phase_ <= phase::body; }
  /// Whether input is framed now.
  bool reads() const noexcept;
  /// From now on, the deadline is for the other side: for the client while the owner grants credit,
  /// otherwise for the owner.
  void move_upload_deadline();
  /// Passes on the part of a streamed body that arrived with `bytes` of the connection.
  void take_upload(std::size_t bytes);
  /// Sends `100 Continue` if the client waits for it.
  void send_continue();
  base::error framing_failure() const;
  void on_end_of_input();
  /// Answers without an actor: requests that never became an exchange, and deadlines.
  void refuse(const base::error& why, bool close);
  void refuse(response&& with, operation which, bool close);
  void queue(response&& answer, bool keep_alive);
  void begin_answer_in_parts(response&& answer);
  bool sends_body(const response& answer) const noexcept;
  /// What the head of an answer says of this connection.
  write_context context_of(bool stays_open) const;
  /// Whether the connection may stay open after an answer.
  bool may_stay_open() const noexcept;
  /// Notes an answer and whether a rate limit refused it.
  void note_refusal(int status);
  /// Whether the next request is not read yet, because of refusals.
  bool is_paused() const noexcept;
  /// Counts the end of a request: its answer, or that its client is gone.
  void count(int status, std::uint64_t bytes);
  bool& scheduled(step what) noexcept { return scheduled_[static_cast<std::size_t>(what)]; }
  void schedule(step what);
  void schedule_read();
  void flush();
  void after_flush();
  void linger();
  void discard();
  void close();
  /// Answers a request that has begun with `why`, as far as the socket accepts it, and closes.
  void end_with(const base::error& why);
  /// Closes the connection and drops what is unsent, in the kernel too.
  void cut();
  void arm();
  void on_deadline() override;
  bool idle() const noexcept;
  /// How long the connection may be idle.
  std::chrono::milliseconds idle_time() const noexcept;

  connection_host* host_;
  std::unique_ptr<byte_stream> stream_;
  /// Points to `stream_` if that speaks TLS; otherwise null.
  tls_stream* tls_ = nullptr;
  /// The context for the handshake until it begins. Null if the connection does not speak TLS.
  std::shared_ptr<tls_context> tls_context_;
  /// The address of the socket's peer, or the one that the PROXY header names.
  model::ip_address peer_;
  request_reader reader_;
  reply_sender sender_{*host_, *this};
  client_exchange exchange_{*host_};
  /// The deadline of the phase: idle, head, body, request, streamed body or linger.
  base::steady_time phase_deadline_;
  /// In `record`: when the connection would have been idle for too long.
  base::steady_time idle_deadline_;
  /// When the bytes being read became readable; unset if no event reported them.
  base::steady_time readable_since_;
  /// No request is read before this time; usually unset.
  base::steady_time paused_until_;
  /// How many more bytes are discarded; the last read may exceed it.
  std::size_t discards_bytes_ = 0;
  /// Wraps the socket's stream; null while no fault was injected into it.
  faulty_stream* faulty_ = nullptr;
  /// In the order in which the plane's connections were opened.
  std::uint64_t number_;
  std::uint32_t slot_;
  std::uint32_t generation_ = 0;
  /// Answers in a row that a rate limit refused.
  std::uint32_t refusals_ = 0;
  lane peer_lane_ = 0;
  phase phase_ = phase::idle;
  preamble begins_with_;
  /// The proxy does not know its client, so no request header can name it either.
  bool client_unknown_ = false;
  /// Had a request. Before the first one, the idle time is shorter.
  bool served_ = false;
  std::array<bool, step_count> scheduled_{};
  bool is_watched_ = false;
  bool handshake_charged_ = false;
  /// Whether the connection stays open after an answer in parts.
  bool stays_open_ = false;
  /// The client said that the request being answered is its last.
  bool client_ends_ = false;
  /// The client can receive nothing more. What it sent before may still be read.
  bool client_gone_ = false;
};

} // namespace matchcloud::http
