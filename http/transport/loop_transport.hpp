#pragma once

#include "base/blocking_pool.hpp"
#include "http/transport/connection_acceptor.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/fair_queue.hpp"

#include <caf/actor.hpp>

#include <algorithm>
#include <array>
#include <chrono>
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

/// Keeps objects for reuse. One thread.
template <class Object>
class object_pool {
public:
  /// Keeps at most `limit` objects.
  explicit object_pool(std::size_t limit) noexcept : limit_{limit} {}

  std::optional<Object> take() {
    if (kept_.empty()) return std::nullopt;
    std::optional<Object> taken{std::move(kept_.back())};
    kept_.pop_back();
    unused_ = std::min(unused_, kept_.size());
    return taken;
  }

  bool is_full() const noexcept { return kept_.size() >= limit_; }
  bool is_empty() const noexcept { return kept_.empty(); }
  std::size_t size() const noexcept { return kept_.size(); }
  /// Keeps an object, or destroys it where the pool is full.
  void keep(Object used) {
    if (!is_full()) kept_.push_back(std::move(used));
  }

  /// Destroys the objects that nobody needed since the last call and returns how many.
  std::size_t drop_unused() {
    const auto dropped = unused_;
    kept_.resize(kept_.size() - dropped);
    kept_.shrink_to_fit();
    unused_ = kept_.size();
    return dropped;
  }

private:
  std::size_t limit_;
  std::vector<Object> kept_;
  /// The smallest number of kept objects since `drop_unused`.
  std::size_t unused_ = 0;
};

/// The `loops` transport of one event loop: besides accepting, connects its connections and its
/// front, gives the connections their turns, queues requests until their clients' turn, finds the
/// connection of each reply, and pools what they use. Each connection keeps the state and the
/// deadlines of its own exchange. Everything but construction and `connection_count` happens on the
/// loop's thread.
class loop_transport final : private connection_acceptor, private exchange_sink, private timer {
public:
  /// Once the connections have written this much in a turn, the rest of them waits for the next
  /// turn; the last one may exceed it by up to `flush_turn_bytes`. On loopback this takes well
  /// below a millisecond.
  static constexpr std::size_t write_turn_bytes = 1024UL * 1024;
  /// Connections that are read in a turn at most, whatever the clock says.
  static constexpr std::size_t reads_per_turn = 128;
  /// How many connections are read or written between two looks at the clock.
  static constexpr std::size_t steps_per_clock = 8;
  /// Interval at which unused memory is released.
  static constexpr std::chrono::milliseconds tidy_interval{10'000};
  /// How much must have been freed since the last tidying (in bytes of the budget, connections, or
  /// pooled objects) for the allocator to be told to return memory to the system.
  static constexpr std::size_t returned_least_bytes = 4UL * 1024 * 1024;
  static constexpr std::size_t returned_least_connections = 1'024;
  static constexpr std::size_t returned_least_pooled = 64;

  /// `of_all` and `counts` must outlive every message that holds a request. `judges` checks
  /// requests by their heads, as the transport's front does. `seed` makes request ids unique;
  /// `on_empty` is called while draining when no connection is left. `pool` reads files that are
  /// not in memory; its tasks must end before the transport is destroyed.
  loop_transport(event_loop& runs, const base::clock& clock, base::blocking_pool& pool,
                 shared_bounds& of_all, std::shared_ptr<head_rules> judges,
                 transport_metrics& counts, std::uint64_t seed, std::function<void()> on_empty);

  /// From now on these limits apply, also to requests in progress.
  void put_in_force(plane_limits changed) { in_force = std::move(changed); }
  /// From now on answers are logged in `to`, as `settings` say; null: they are not logged.
  void log_access(std::shared_ptr<access_log> to, const access_log_settings& settings);
  /// From now on connections are accepted before their first bytes, so that none waits for these
  /// when the listeners close.
  void accept_silent() { connection_acceptor::accept_silent(); }
  /// Accepts what waits in the backlogs, then stops listening; from now on each answer closes its
  /// connection. Connections less than a second old that have sent nothing are reset, if the kernel
  /// waits for their first bytes.
  void begin_drain();
  /// Drains like `begin_drain`, but leaves the backlogs to the process that shares the listening
  /// sockets.
  void hand_over();
  /// Closes connections without an open request, now and whenever one becomes idle.
  void close_idle();
  /// Answers open requests with `draining` and closes all connections.
  void end_now();

  std::size_t connection_count() const noexcept { return table_.size(); }
  connection_acceptor& acceptor() noexcept { return *this; }
  /// For the front.
  exchange_sink& exchanges() noexcept { return *this; }

private:
  static constexpr std::size_t pool_limit = 256;
  /// Larger bodies are freed on the blocking pool.
  static constexpr std::size_t freed_here_bytes = 1024UL * 1024;
  static constexpr std::size_t pooled_buffer_limit_bytes = 16 * 1024;

  // -- connection_host --------------------------------------------------------

  std::string_view date() override;
  std::shared_ptr<admitted_request> acquire_request() override;
  void give_back(std::shared_ptr<admitted_request> used) override;
  std::string take_buffer() override;
  void give_back(std::string used) override;
  void give_back(std::shared_ptr<const std::string> sent) override;
  void wrote(std::size_t bytes) noexcept override { turn_written_bytes_ += bytes; }
  bool read_ahead(connection& which, const file_range& part) override;
  void schedule(connection& which, step what) override;
  void opened() override;
  void closed(connection& which) override;
  void assign_id(request& to) override { ids_.assign(to); }
  bool admit(admitted_request& which, lane client) override;
  void leave(lane client) noexcept override { queue_.leave(client); }
  void begin_service(lane of, std::uint32_t units) override;
  void end_service(lane of, std::uint32_t units) override;
  void dispatch(connection& from) override;
  void send_part(connection& from, body_upload::part part, bool is_last) override;
  void tell_taken(connection& from, std::size_t bytes) override;

  // -- exchange_sink ----------------------------------------------------------

  void attach(caf::actor front) override;
  std::optional<http::dispatch> take_waiting() override;
  bool routed(actors::exchange_ref exchange, operation which, base::owner waits_for) override;
  open_exchange find(actors::exchange_ref exchange) const override;
  void answer(actors::exchange_ref exchange, response&& with) override;
  void grant(actors::exchange_ref exchange, std::size_t bytes) override;
  void send_part(const actors::answer_part& part) override;
  void redispatch(base::owner owner) override;

  void announce();
  /// Dispatches the exchanges that wait for `owner`, or all, again, because `dead` died. Ends the
  /// exchanges whose answer is sent in parts: parts may be lost, so their clients retry.
  void redispatch(actors::handler dead, std::optional<base::owner> owner);

  fair_queue<std::uint32_t>& queue_of(step what) noexcept {
    return steps_[static_cast<std::size_t>(what)];
  }
  /// Lets at most `most` connections take a scheduled step, until the time is up.
  void take_turns(step what, std::size_t most = SIZE_MAX);
  void plan_reads();
  void plan_turn_end();
  void finish_turn();
  /// Releases unused memory, every `tidy_interval`.
  void on_deadline() override;

  base::blocking_pool* pool_;
  std::function<void()> on_empty_;
  caf::actor front_;
  request_queue queue_;
  /// The front was told that requests wait, and has not found the queue empty since.
  bool announced_ = false;
  /// The connections, by slot, that scheduled a step, by step. A slot may have another connection
  /// by then, which ignores calls that it did not schedule.
  std::array<fair_queue<std::uint32_t>, step_count> steps_;
  object_pool<std::shared_ptr<admitted_request>> requests_{pool_limit};
  object_pool<std::string> buffers_{pool_limit};
  /// The most connections at once since memory was last released.
  std::size_t most_live_ = 0;
  std::unique_ptr<access_lines> access_lines_;
  std::string date_;
  std::int64_t date_second_ = -1;
  base::steady_time date_checked_;
  std::size_t turn_written_bytes_ = 0;
  bool reads_planned_ = false;
  bool turn_end_planned_ = false;
  bool closing_idle_ = false;
};

} // namespace matchcloud::http
