#pragma once

#include "actors/protocol.hpp"
#include "base/byte_budget.hpp"
#include "base/fault_point.hpp"
#include "base/limits.hpp"
#include "http/loop/byte_stream.hpp"
#include "http/loop/event_loop.hpp"
#include "http/loop/timer_wheel.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/proxy_header.hpp"
#include "http/wire/request_framer.hpp"
#include "http/wire/response.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace matchcloud::http {

class connection;

/// What a connection needs of its transport. Loop thread only.
class connection_host {
public:
  virtual ~connection_host() = default;
  virtual const base::limits& limits() const noexcept = 0;
  virtual const framer_limits& framing() const noexcept = 0;
  virtual event_loop& loop() noexcept = 0;
  virtual base::byte_budget& budget() noexcept = 0;
  virtual transport_metrics& metrics() noexcept = 0;
  /// Scratch for one read; its content lasts until the next call.
  virtual std::span<char> read_buffer() noexcept = 0;
  /// The `Date` of answers written now.
  virtual std::string_view date() = 0;
  /// New answers say `Connection: close`.
  virtual bool draining() const noexcept = 0;

  /// Requests and buffers are pooled: between requests a connection has neither.
  virtual std::shared_ptr<admitted_request> take_request() = 0;
  virtual void give_back(std::shared_ptr<admitted_request> used) = 0;
  virtual std::string take_buffer() = 0;
  virtual void give_back(std::string used) = 0;
  /// A shared body that is sent, or will not be: the last to hold it has to free it.
  virtual void give_back(std::shared_ptr<const std::string> sent) = 0;
  virtual void assign_id(request& to) = 0;

  /// Gives the request a permit. False: too many are in flight.
  virtual bool admit(admitted_request& which) = 0;
  /// Has the budget take `bytes` more, by closing connections whose clients take nothing: that
  /// which stalls longest first, `but` never. False: there are no more such.
  virtual bool make_room(std::size_t bytes, const connection& but) = 0;
  /// A PROXY header said who the client is: `peer()`. False: it has too many connections.
  virtual bool named_client(connection& which) = 0;
  /// Sends the connection's exchange to the front; where there is none, the next one gets it.
  virtual void dispatch(connection& from) = 0;
  /// A connection wrote so much: the transport bounds what all write in one turn.
  virtual void wrote(std::size_t bytes) noexcept = 0;
  /// Has a part of a file read into memory if it is not there, then calls `file_ready`. False: it
  /// is there, or nobody can: send it.
  virtual bool read_ahead(connection& which, const file_range& part) = 0;
  /// Calls `at_turn_end` once, when the current turn ends.
  virtual void schedule(connection& which) = 0;
  /// The connection is closed: it gets no more calls, and is destroyed when the turn has ended.
  virtual void closed(connection& which) = 0;
};

/// What the bytes of a connection begin with.
enum class opening : std::uint8_t {
  /// Its first request.
  request,
  /// A PROXY protocol header, whose address is the client's.
  believed_proxy_header,
  /// A PROXY protocol header of a peer that is not to be believed: it must be well-formed, and what
  /// it says is dropped.
  ignored_proxy_header,
};

/// One client connection of an event loop: reads and frames requests, hands each as an exchange to
/// the front, writes the answers in order. One exchange at a time; pipelined requests wait in
/// `input_`. Between requests it owns no buffer. Loop thread only.
class connection final : public io_handler, public timer {
public:
  /// Unsent bytes beyond which no further request is read.
  static constexpr std::size_t unsent_pause_bytes = 256 * 1024;
  /// Memory for unsent bytes that needs no lease of the byte budget while the socket takes them.
  static constexpr std::size_t unsent_free_bytes = 16 * 1024;
  /// Unsent bytes beyond which no further request is read while the budget is tight.
  static constexpr std::size_t unsent_tight_bytes = 8 * 1024;
  /// Pipelined bytes that need no lease of the byte budget; while that is tight, no more are read
  /// at once.
  static constexpr std::size_t input_free_bytes = 4 * 1024;
  /// Larger shared bodies are sent from where they are, smaller ones copied behind their head.
  static constexpr std::size_t copied_body_bytes = 32 * 1024;
  /// Kept for the head of an answer that is copied.
  static constexpr std::size_t head_room_bytes = 1024;
  /// What one connection sends per turn of the loop: the others wait no longer than that.
  static constexpr std::size_t flush_turn_bytes = 256 * 1024;
  /// Input discarded after the last answer, so that a reset does not eat it.
  static constexpr std::size_t linger_bytes = 512 * 1024;
  static constexpr std::chrono::milliseconds linger_timeout{2'000};
  /// What a client took at once counts for at most so many write timeouts: a receiver with much
  /// room acknowledges in steps, half a buffer each.
  static constexpr int progress_credit_limit = 4;

  /// `slot` names it among its transport's connections; `generation` is the last that the slot's
  /// previous connection used, so that a late reply to that one is not taken for this one's.
  connection(connection_host& host, std::unique_ptr<byte_stream> stream,
             const model::ip_address& peer, std::uint32_t slot, std::uint32_t generation,
             opening begins_with = opening::request);
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
  bool routed(operation asked, actors::owner waits_for);
  /// Dispatches the exchange again, as a further attempt, because `dead` died. False where too many
  /// died of it: then it is answered.
  bool retry(actors::handler dead);

  /// What `read_ahead` promised is in memory.
  void file_ready();

  bool waiting() const noexcept { return phase_ == phase::waiting; }
  bool is_closed() const noexcept { return phase_ == phase::closed; }
  actors::owner waits_for() const noexcept { return exchange_.waits_for; }
  operation asked() const noexcept { return exchange_.asked; }
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
  enum class phase : std::uint8_t { reading, waiting, lingering, closed };

  /// The stream, which faults hit as soon as any is injected at that point.
  byte_stream& stream(base::fault_point at);
  void process();
  bool may_read();
  std::string_view next_bytes();
  std::string_view read_some();
  /// What is left of `bytes` behind the PROXY header.
  std::string_view read_proxy_header(std::string_view bytes);
  void end_proxy_header();
  void parse(std::string_view bytes);
  void keep_rest(std::string_view rest);
  void take_partial();
  void begin_exchange();
  void hand_over();
  void on_end_of_input();
  /// Answers without an actor: for what never became an exchange, and for deadlines.
  void refuse(const base::error& why, bool close);
  void queue(response&& answer, bool keep_alive);
  void make_room();
  void append_body(response& answer);
  bool sends_body(const response& answer) const noexcept;
  /// Makes the lease cover `bytes`, at the expense of clients that take nothing if need be.
  bool lease(base::byte_lease& of, std::size_t bytes);
  /// Takes from the budget what the answer will hold here, and makes room for it.
  bool hold(response& answer);
  void settle(int status);
  void release_request();
  void schedule();
  void flush();
  /// Both send at most `most` bytes, at least one where the socket takes any.
  io_result send_memory(std::size_t most);
  io_result send_file(std::size_t most);
  /// Whether the file's next bytes, at most `most`, have to be read first.
  bool must_read_ahead(std::size_t most);
  void release_out();
  void after_flush();
  void linger();
  void discard();
  void close();
  /// Closes it whatever is unsent, which the kernel drops as well.
  void cut();
  void arm();
  void on_deadline() override;
  /// The socket takes no more: from the first time on the client has to take what is sent.
  void expect_progress();
  /// Moves `write_deadline_` by what the client took since the look before; how many bytes.
  std::uint64_t take_stock();

  /// A body is being sent that is not in `out_` but comes after it: the head of a further answer
  /// would overtake what is left of it.
  bool has_separate_body() const noexcept;
  /// Of memory and file together.
  std::size_t unsent_bytes() const noexcept;
  std::size_t unsent_memory_bytes() const noexcept;
  /// What those in memory take, allocated; shared bodies only where nobody else accounts for them.
  std::size_t unsent_capacity() const noexcept;
  bool idle() const noexcept;
  /// How long it may be idle.
  std::chrono::milliseconds idle_time() const noexcept;

  connection_host* host_;
  std::unique_ptr<byte_stream> stream_;
  /// Null once the header is read, and where none is expected.
  std::unique_ptr<proxy_header_reader> proxy_header_;
  /// The socket's, or the one that the PROXY header names.
  model::ip_address peer_;
  request_framer framer_;
  std::shared_ptr<admitted_request> request_;
  /// Bytes read but not framed: pipelined requests behind the current one.
  std::string input_;
  std::string out_;
  /// One of them is sent after `out_`, or none.
  std::shared_ptr<const std::string> body_;
  /// What is left to send.
  file_range file_;
  std::size_t out_sent_ = 0;
  std::size_t body_sent_ = 0;
  base::byte_lease input_lease_;
  base::byte_lease unsent_lease_;
  /// Of the phase: idle, head, body, request or linger.
  base::steady_time phase_deadline_;
  /// Unset while the socket takes what there is to send.
  base::steady_time write_deadline_;
  base::steady_time begun_;
  /// Since the look at the kernel's queue that set `write_deadline_`, and what was in it then.
  std::uint64_t sent_since_look_ = 0;
  /// When the socket last took something.
  base::steady_time moved_at_;
  std::size_t unacknowledged_at_look_ = 0;
  /// How many bytes of `input_` are framed by now: at most one read.
  std::uint32_t input_framed_ = 0;
  /// At most `linger_bytes` and one read.
  std::uint32_t discarded_bytes_ = 0;
  std::uint32_t slot_;
  std::uint32_t generation_ = 0;
  exchange_state exchange_;
  phase phase_ = phase::reading;
  bool stream_is_faulty_ = false;
  bool readable_ = false;
  /// The peer sent an urgent byte: a read ends at it, however much there is behind.
  bool urgent_ = false;
  bool hung_up_ = false;
  bool ended_ = false;
  bool in_body_ = false;
  bool proxy_believed_ = false;
  /// The proxy says that it does not know its client: no header of a request can name it either.
  bool client_unknown_ = false;
  bool close_after_flush_ = false;
  /// Had a request: before that it may not be idle for long.
  bool served_ = false;
  bool body_leased_ = false;
  /// Pipelined bytes were dropped for want of budget: the next answer is the last.
  bool cut_ = false;
  bool scheduled_ = false;
  /// Waits for `file_ready`: nothing is sent.
  bool reading_file_ = false;
  /// The next part of the file was just read: the next flush sends it without asking again.
  bool file_read_ = false;
};

} // namespace matchcloud::http
