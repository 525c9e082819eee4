#pragma once

#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "base/limits.hpp"
#include "http/loop/event_loop.hpp"
#include "http/transport/connection.hpp"
#include "http/transport/connection_shares.hpp"
#include "http/transport/eviction_order.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/object_pool.hpp"
#include "http/transport/request_id.hpp"
#include "http/transport/shared_bounds.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/client_address.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::http {

/// The `loops` transport of one event loop: its listeners, its connections and their exchanges.
/// Everything but construction and `connection_count` happens on the loop's thread.
class loop_transport final : public exchange_sink, private connection_host {
public:
  /// Between looks at whether a paused listener may accept again.
  static constexpr std::chrono::milliseconds accept_pause{50};
  static constexpr std::size_t accepts_per_event = 64;
  /// What connections write in a turn before the rest of them waits for the next, besides the last
  /// one's `flush_turn_bytes`: well below a millisecond's worth on loopback.
  static constexpr std::size_t write_turn_bytes = 1024UL * 1024;
  /// Likewise, where the kernel takes longer: receivers with small windows cost it many times that.
  static constexpr std::chrono::milliseconds write_turn_time{1};
  /// Of `connection_limit`, one of so many may be taken before addresses are held to their shares.
  static constexpr std::size_t unshared_part = 2;
  /// A client that has not taken anything for less is not cut for another's sake.
  static constexpr std::chrono::milliseconds stall_least{1'000};
  /// How many clients' idle connections are known in order.
  static constexpr std::size_t idle_orders_limit = 16;
  /// Looks at more connections than that, for whom to evict, are so far apart that they take about
  /// a tenth of the loop's time.
  static constexpr std::size_t free_look_slots = 4'096;
  static constexpr std::chrono::microseconds look_pause_per_slot{1};
  /// Between looks at what memory can be given back.
  static constexpr std::chrono::milliseconds tidy_interval{10'000};
  /// What has to have been freed since the look before, in bytes of the budget, in connections or
  /// in pooled objects, for the allocator to be told to give it back to the system.
  static constexpr std::size_t returned_least_bytes = 4UL * 1024 * 1024;
  static constexpr std::size_t returned_least_connections = 1'024;
  static constexpr std::size_t returned_least_pooled = 64;

  /// `bounds` and `metrics` must outlive every message that holds a request. `seed` makes request
  /// ids unique; `on_empty` is called when draining and no connection is left.
  /// `pool` reads files that are not in memory; its jobs must end before the transport does.
  loop_transport(event_loop& loop, const base::clock& clock, base::blocking_pool& pool,
                 shared_bounds& bounds, transport_metrics& metrics, std::uint64_t seed,
                 std::function<void()> on_empty);
  ~loop_transport() override;

  /// Takes over a listening socket. With `proxy_headers` its connections begin with a PROXY
  /// protocol header each, which is believed where the socket's peer is a trusted proxy.
  void listen(base::file_descriptor socket, bool proxy_headers = false);
  /// Takes over a connected, non-blocking stream socket, as if a listener had accepted it. Whoever
  /// hands it in answers for the connection limit.
  void adopt(base::file_descriptor socket, const model::ip_address& peer);

  /// Takes what waits in the backlogs, then stops listening; from now on each answer closes its
  /// connection.
  void begin_drain();
  /// Likewise, but leaves what waits to the process that has the listening sockets as well.
  void hand_over();
  /// Closes connections without a request under way, now and as they become so.
  void close_idle();
  /// Answers what is left with `draining` and closes everything.
  void end_now();

  std::size_t connection_count() const noexcept { return live_.load(std::memory_order_relaxed); }
  // -- exchange_sink ----------------------------------------------------------

  void attach(caf::actor front) override;
  bool routed(actors::exchange_ref exchange, operation which, actors::owner waits_for) override;
  open_exchange find(actors::exchange_ref exchange) const override;
  void answer(actors::exchange_ref exchange, response&& with) override;
  void redispatch(actors::owner owner) override;

private:
  class acceptor;
  struct slot {
    std::unique_ptr<connection> held;
    /// The last generation that a connection here has used.
    std::uint32_t generation = 0;
    /// Among its address's connections.
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
  /// Larger bodies are freed by the blocking pool.
  static constexpr std::size_t freed_here_bytes = 1024UL * 1024;
  static constexpr std::size_t pooled_buffer_limit_bytes = 16 * 1024;

  // -- connection_host --------------------------------------------------------

  const base::limits& limits() const noexcept override { return bounds_->limits; }
  const framer_limits& framing() const noexcept override { return bounds_->framing; }
  event_loop& loop() noexcept override { return *loop_; }
  base::byte_budget& budget() noexcept override { return bounds_->budget; }
  transport_metrics& metrics() noexcept override { return *metrics_; }
  std::span<char> read_buffer() noexcept override { return read_buffer_; }
  std::string_view date() override;
  bool draining() const noexcept override { return draining_; }
  std::shared_ptr<admitted_request> take_request() override;
  void give_back(std::shared_ptr<admitted_request> used) override;
  std::string take_buffer() override;
  void give_back(std::string used) override;
  void give_back(std::shared_ptr<const std::string> sent) override;
  void assign_id(request& to) override { ids_.assign(to); }
  bool admit(admitted_request& which) override;
  bool make_room(std::size_t bytes, const connection& but) override;
  bool named_client(connection& which) override;
  void dispatch(connection& from) override;
  void wrote(std::size_t bytes) noexcept override { turn_written_bytes_ += bytes; }
  bool read_ahead(connection& which, const file_range& part) override;
  void schedule(connection& which) override;
  void closed(connection& which) override;

  connection* current(actors::exchange_ref exchange) const noexcept;
  /// As many connections as may be, or there would be if each loop took a place for nobody: then
  /// one of them would close an idle connection for it.
  bool is_almost_full() const noexcept;
  /// One more connection, in place of an idle one where there are as many as may be. False: none of
  /// this loop is idle; the other loops look among theirs, so that there may be a place soon.
  bool take_place();
  void give_place_back() noexcept { bounds_->connections.fetch_sub(1); }
  /// For a place that is taken: makes it a connection, or turns it away.
  void welcome(base::file_descriptor socket, const model::ip_address& peer, preamble begins_with);
  void turn_away(const base::file_descriptor& socket);
  /// One more connection of `client`, in place of one that is idle where it has its share. False:
  /// it has none such. `but` is that one more, if it is open already.
  bool enter_share(const model::ip_address& client, const connection* but = nullptr);
  bool evict_idle_of(const model::ip_address& client, const connection* but);
  /// Has each other loop close an idle connection of `client`, whose share the kernel may have
  /// given them all. False: this loop has its part of the share.
  bool evict_elsewhere(const model::ip_address& client, std::size_t share);
  /// Closes the connection that has been idle longest. False: none of this loop is.
  bool evict_idle();
  template <class SinceOf>
  bool evict_idle(eviction_order& order, SinceOf&& since_of);
  /// The next of `order`, of those that `since_of` names, for `evict`; false where there is none.
  template <class SinceOf, class Evict>
  bool evict_next(eviction_order& order, SinceOf&& since_of, Evict&& evict);
  void add(base::file_descriptor socket, const model::ip_address& peer, preamble begins_with,
           bool in_share);
  void tidy();
  void file_ready(std::uint32_t index, std::uint32_t generation);
  void finish_turn();
  void plan_turn_end();
  template <class Condition>
  void redispatch_where(actors::handler dead, Condition&& condition);

  event_loop* loop_;
  const base::clock* clock_;
  base::blocking_pool* pool_;
  shared_bounds* bounds_;
  transport_metrics* metrics_;
  std::function<void()> on_empty_;
  request_id_source ids_;
  caf::actor front_;
  std::vector<std::unique_ptr<acceptor>> listeners_;
  /// Of `shared_bounds::shares`, this loop's.
  connection_shares shares_here_;
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<connection*> scheduled_;
  std::vector<connection*> running_;
  std::vector<std::uint32_t> closed_slots_;
  eviction_order longest_idle_;
  /// Of each of a few clients, in the order in which these came to have their share.
  std::vector<std::pair<model::ip_address, eviction_order>> idle_of_;
  base::steady_time next_look_;
  eviction_order longest_stalled_;
  object_pool<std::shared_ptr<admitted_request>> requests_{pool_limit};
  object_pool<std::string> buffers_{pool_limit};
  tidying tidying_{*this};
  /// Connections since the last `tidy`, at most.
  std::size_t most_live_ = 0;
  std::vector<char> read_buffer_;
  std::string date_;
  std::int64_t date_second_ = -1;
  base::steady_time date_checked_;
  std::atomic<std::size_t> live_{0};
  std::size_t turn_written_bytes_ = 0;
  bool turn_end_planned_ = false;
  bool draining_ = false;
  bool closing_idle_ = false;
};

} // namespace matchcloud::http
