#pragma once

#include "actors/request/messages.hpp"
#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "http/limits/limits.hpp"
#include "http/loop/event_loop.hpp"
#include "http/tls/tls_context.hpp"
#include "http/transport/connection.hpp"
#include "http/transport/connection_shares.hpp"
#include "http/transport/eviction_order.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/fair_queue.hpp"
#include "http/transport/head_rules.hpp"
#include "http/transport/listener.hpp"
#include "http/transport/object_pool.hpp"
#include "http/transport/request_id.hpp"
#include "http/transport/request_queue.hpp"
#include "http/transport/shared_bounds.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/client_address.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// The `loops` transport of one event loop: its listeners, its connections and their exchanges.
/// Everything but construction and `connection_count` happens on the loop's thread.
class loop_transport final : public exchange_sink, private connection_host {
public:
  /// Interval at which a paused listener tries to accept again.
  static constexpr std::chrono::milliseconds accept_pause{50};
  static constexpr std::size_t accepts_per_event = 64;
  /// Once the connections have written this much in a turn, the rest of them waits for the next
  /// turn; the last one may exceed it by up to `flush_turn_bytes`. On loopback this takes well
  /// below a millisecond.
  static constexpr std::size_t write_turn_bytes = 1024UL * 1024;
  /// Time limit for the writes of one turn, for when the kernel takes longer: receivers with small
  /// windows cost it many times as much.
  static constexpr std::chrono::microseconds write_turn_time{250};
  /// Time limit for reading and framing in a turn.
  static constexpr std::chrono::microseconds read_turn_time{250};
  /// Connections that are read in a turn at most, whatever the clock says.
  static constexpr std::size_t reads_per_turn = 128;
  /// How many connections are accepted, read or written between two looks at the clock.
  static constexpr std::size_t steps_per_clock = 8;
  /// Time limit for accepting connections at an event; at least `steps_per_clock` are accepted.
  static constexpr std::chrono::microseconds accept_turn_time{250};
  /// Time limit for the TLS handshakes of one turn; at least one goes on in a turn. It bounds how
  /// long requests of others wait, beside the longest step, which signs: 0.1 ms with P-256, 1 ms
  /// with RSA-2048.
  static constexpr std::chrono::microseconds handshake_turn_time{250};
  /// At most so often a line is logged about a client without TLS, of each cause; the metrics count
  /// all.
  static constexpr std::chrono::seconds tls_failure_log_interval{10};
  /// Connection shares apply once more than this part (one in so many) of `connection_limit` is in
  /// use.
  static constexpr std::size_t unshared_part = 2;
  /// A client that has stalled for less time is not cut in favour of another.
  static constexpr std::chrono::milliseconds stall_least{1'000};
  /// The most clients whose idle connections are kept in eviction order.
  static constexpr std::size_t idle_orders_limit = 16;
  /// In loops with more connection slots than this, looks for eviction candidates are spaced by
  /// `look_pause_per_slot`, so that they take about a tenth of the loop's time.
  static constexpr std::size_t free_look_slots = 4'096;
  static constexpr std::chrono::microseconds look_pause_per_slot{1};
  /// Interval at which unused memory is released.
  static constexpr std::chrono::milliseconds tidy_interval{10'000};
  /// How much must have been freed since the last tidying (in bytes of the budget, connections, or
  /// pooled objects) for the allocator to be told to return memory to the system.
  static constexpr std::size_t returned_least_bytes = 4UL * 1024 * 1024;
  static constexpr std::size_t returned_least_connections = 1'024;
  static constexpr std::size_t returned_least_pooled = 64;

  /// `bounds` and `metrics` must outlive every message that holds a request. `rules` judge requests
  /// by their heads, as the transport's front does. `seed` makes request ids unique; `on_empty` is
  /// called while draining when no connection is left. `pool` reads files that are not in memory;
  /// its tasks must end before the transport is destroyed.
  loop_transport(event_loop& loop, const base::clock& clock, base::blocking_pool& pool,
                 shared_bounds& bounds, std::shared_ptr<const head_rules> rules,
                 transport_metrics& metrics, std::uint64_t seed, std::function<void()> on_empty);
  ~loop_transport() override;

  /// What the connections that begin from now on speak TLS with; those that there are keep theirs.
  /// Before the first call there are no listeners with TLS.
  void set_tls(std::shared_ptr<tls_context> context) { tls_ = std::move(context); }
  /// Takes over a listening socket.
  void listen(base::file_descriptor socket, listener_kind kind = {});
  /// Takes over a connected, non-blocking stream socket, as if a listener had accepted it. The
  /// connection limit is not checked: that is up to the caller.
  void adopt(base::file_descriptor socket, const model::ip_address& peer);

  /// From now on connections are accepted before their first bytes, so that none waits for these
  /// when the listeners close.
  void accept_silent();
  /// Accepts what waits in the backlogs, then stops listening; from now on each answer closes its
  /// connection. Connections of less than a second that have said nothing are reset, if they wait
  /// for their first bytes.
  void begin_drain();
  /// Drains like `begin_drain`, but leaves the backlogs to the process that shares the listening
  /// sockets.
  void hand_over();
  /// Closes connections without an open request, now and whenever one becomes idle.
  void close_idle();
  /// Answers open requests with `draining` and closes all connections.
  void end_now();

  std::size_t connection_count() const noexcept { return live_.load(std::memory_order_relaxed); }
  // -- exchange_sink ----------------------------------------------------------

  void attach(caf::actor front) override;
  std::optional<http::dispatch> take_waiting() override;
  bool routed(actors::exchange_ref exchange, operation which, base::owner waits_for) override;
  open_exchange find(actors::exchange_ref exchange) const override;
  void answer(actors::exchange_ref exchange, response&& with) override;
  void grant(actors::exchange_ref exchange, std::size_t bytes) override;
  void send_part(const actors::answer_part& part) override;
  void redispatch(base::owner owner) override;

private:
  class acceptor;
  struct slot {
    std::unique_ptr<connection> held;
    /// The last generation that a connection here has used.
    std::uint32_t generation = 0;
    /// Counted in its client's share.
    bool in_share = false;
  };
  /// Calls `tidy`.
  class tidying final : public timer {
  public:
    explicit tidying(loop_transport& owner) noexcept : owner_{&owner} {}

  private:
    void on_deadline() override { owner_->tidy(); }
    loop_transport* owner_;
  };

  static constexpr std::size_t read_buffer_bytes = 64 * 1024;
  static constexpr std::size_t pool_limit = 256;
  /// Larger bodies are freed on the blocking pool.
  static constexpr std::size_t freed_here_bytes = 1024UL * 1024;
  static constexpr std::size_t pooled_buffer_limit_bytes = 16 * 1024;

  // -- connection_host --------------------------------------------------------

  const http::limits& limits() const noexcept override { return bounds_->limits; }
  const framer_limits& framing() const noexcept override { return bounds_->framing; }
  event_loop& loop() noexcept override { return *loop_; }
  base::byte_budget& budget() noexcept override { return bounds_->budget; }
  transport_metrics& metrics() noexcept override { return *metrics_; }
  std::span<char> read_buffer() noexcept override { return read_buffer_; }
  std::string_view date() override;
  plane serves() const noexcept override { return bounds_->serves; }
  bool draining() const noexcept override { return draining_; }
  std::shared_ptr<admitted_request> acquire_request() override;
  void give_back(std::shared_ptr<admitted_request> used) override;
  std::string take_buffer() override;
  void give_back(std::string used) override;
  void give_back(std::shared_ptr<const std::string> sent) override;
  void assign_id(request& to) override { ids_.assign(to); }
  lane lane_of(const model::ip_address& client) const noexcept override;
  lane lane_of(const request& which, lane by_peer) const override;
  bool admit(admitted_request& which, lane client) override;
  void leave(lane client) noexcept override { queue_.leave(client); }
  void begin_service(lane of, std::uint32_t units) override {
    if (queue_.begin_service(of, units)) metrics_->clients_held.add();
  }
  void end_service(lane of, std::uint32_t units) override {
    if (queue_.end_service(of, units)) announce();
  }
  bool make_room(std::size_t bytes, const connection& but) override;
  bool on_client_named(connection& which) override;
  void dispatch(connection& from) override;
  void wrote(std::size_t bytes) noexcept override { turn_written_bytes_ += bytes; }
  bool read_ahead(connection& which, const file_range& part) override;
  head_verdict judge(const request& head, std::uint64_t length) const override {
    return rules_->judge(head, length);
  }
  void send_part(connection& from, body_upload::part part, bool is_last) override;
  void tell_taken(connection& from, std::size_t bytes) override;
  void schedule_read(connection& which) override;
  void schedule(connection& which) override;
  void schedule_handshake(connection& which) override;
  bool admit_handshake(const connection& of) override { return rules_->admit_handshake(of.peer()); }
  void begin_handshake() override;
  void end_handshake(handshake_end how) noexcept override;
  bool trusts_clients_of(const tls_context& by) const noexcept override {
    return &by == tls_.get() || by.trusts_as(*tls_);
  }
  void note_tls_failure(const connection& with, tls_cause cause, std::string_view why) override;
  void closed(connection& which) override;

  connection* current(actors::exchange_ref exchange) const noexcept;
  /// Whether the connection limit is reached, or would be if each loop reserved a connection at
  /// once. Reserving one may close an idle connection, so a client must be waiting then.
  bool is_near_connection_limit() const noexcept;
  /// Reserves a connection; at the limit, by closing an idle one of this loop. False: none of this
  /// loop is idle. The other loops then look among theirs, so a later call may succeed.
  bool reserve_connection();
  void release_connection() noexcept { bounds_->connections.fetch_sub(1); }
  /// Turns an accepted socket, with its reserved connection, into a connection, or turns it away if
  /// its client has too many.
  void admit_socket(base::file_descriptor socket, const model::ip_address& peer,
                    preamble begins_with, bool speaks_tls);
  void refuse_socket(const base::file_descriptor& socket);
  /// The connections that a client address may hold whatever else there is.
  std::size_t most_per_address(const model::ip_address& client) const noexcept;
  /// Counts one more connection of `client`; where its share is used up, in place of an idle one,
  /// which is closed in this loop or another. False, and not counted: there is no idle one. `but`
  /// is the connection to be counted if it is open already; it is never closed.
  bool count_in_share(const model::ip_address& client, const connection* but = nullptr);
  bool evict_idle_of(const model::ip_address& client, const connection* but);
  /// Has each other loop close an idle connection of `client`, because the kernel may have given
  /// them its whole share. False, and nothing is closed: there is no other loop, or this one
  /// already has its part of the share.
  bool evict_elsewhere(const model::ip_address& client, std::size_t share);
  /// Closes the connection that has been idle longest. On the ops plane, where none of this loop's
  /// is, the one whose request has been incomplete longest, or else the one whose client has taken
  /// nothing of its answer for longest: whoever is slow must not keep health checks out. False:
  /// there is none.
  bool evict_idle();
  bool evict_slow();
  template <class SinceOf>
  bool evict_idle(eviction_order& order, SinceOf&& since_of);
  /// Applies `evict` to the candidates of `order` until it succeeds; refills the order with the
  /// connections for which `since_of` has a time. False where there is no candidate.
  template <class SinceOf, class Evict>
  bool evict_next(eviction_order& order, SinceOf&& since_of, Evict&& evict);
  void add(base::file_descriptor socket, const model::ip_address& peer, preamble begins_with,
           bool in_share, bool speaks_tls);
  void tidy();
  void file_ready(std::uint32_t index, std::uint32_t generation);
  void announce();
  void read_connections();
  /// The connection in a slot; null where there is none any more.
  connection* held_in(std::uint32_t slot) const noexcept { return slots_[slot].held.get(); }
  void finish_turn();
  void run_handshakes();
  void plan_turn_end();
  /// Ends the answers in parts for which `condition` holds: what sent them is gone, and parts may
  /// be lost. Their clients ask again.
  template <class Condition>
  void end_parts_where(Condition&& condition);
  template <class Condition>
  void redispatch_where(actors::handler dead, Condition&& condition);

  event_loop* loop_;
  const base::clock* clock_;
  base::blocking_pool* pool_;
  shared_bounds* bounds_;
  std::shared_ptr<const head_rules> rules_;
  transport_metrics* metrics_;
  std::function<void()> on_empty_;
  request_id_source ids_;
  caf::actor front_;
  request_queue queue_;
  /// The front was told that requests wait, and has not found none yet.
  bool announced_ = false;
  std::vector<std::unique_ptr<acceptor>> listeners_;
  /// This loop's part of `shared_bounds::shares`.
  connection_shares shares_here_;
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  /// Connections, by slot, that are to be read, those whose turn ends with `at_turn_end`, and those
  /// with a handshake to go on with. A slot may have another connection by the time: that ignores
  /// what it did not ask for.
  fair_queue<std::uint32_t> readable_;
  fair_queue<std::uint32_t> scheduled_;
  fair_queue<std::uint32_t> handshakes_;
  /// Handshakes in progress.
  std::size_t handshaking_ = 0;
  std::shared_ptr<tls_context> tls_;
  /// When a client without TLS was last logged, by cause.
  std::array<base::steady_time, 2> tls_failure_logged_{};
  std::vector<std::uint32_t> closed_slots_;
  eviction_order longest_idle_;
  eviction_order longest_unfinished_;
  eviction_order longest_blocked_;
  eviction_order longest_handshaking_;
  /// For a few clients, in the order in which they reached their shares.
  std::vector<std::pair<model::ip_address, eviction_order>> idle_by_client_;
  base::steady_time next_look_;
  eviction_order longest_stalled_;
  object_pool<std::shared_ptr<admitted_request>> requests_{pool_limit};
  object_pool<std::string> buffers_{pool_limit};
  tidying tidying_{*this};
  /// The most connections at once since the last `tidy`.
  std::size_t most_live_ = 0;
  std::vector<char> read_buffer_;
  std::string date_;
  std::int64_t date_second_ = -1;
  base::steady_time date_checked_;
  std::atomic<std::size_t> live_{0};
  std::size_t turn_written_bytes_ = 0;
  bool reads_planned_ = false;
  bool turn_end_planned_ = false;
  bool draining_ = false;
  bool closing_idle_ = false;
};

} // namespace matchcloud::http
