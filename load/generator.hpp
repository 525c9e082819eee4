#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/loop/event_loop.hpp"
#include "load/client.hpp"
#include "load/io.hpp"
#include "load/options.hpp"
#include "load/request_source.hpp"
#include "load/results.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace matchcloud::load {

/// What the threads of a run share. Must outlive them and not move.
struct load_plan {
  const options* of = nullptr;
  network_address server;
  /// The server's name in the URL.
  std::string host_name;
  /// Addresses to connect from, used in turn; empty: the kernel chooses.
  std::vector<network_address> sources;
  request_frame frame;
  request_source::pools pools;
  /// The mix's flows.
  std::vector<flow_walk::path> flows;
  /// The requests of the replayed log.
  std::vector<request_bytes> replayed;
};

/// The nanoseconds from `begin` to `end`; 0 if that is negative.
inline std::uint64_t since(base::steady_time begin, base::steady_time end) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count()));
}

/// One thread of load: an event loop, its connections and its counts. Latency is measured from the
/// time at which a request was due, so that a server cannot hide a stall by delaying the next
/// requests (coordinated omission).
class generator final : private client_host {
public:
  /// The limit on connections that are opened concurrently, so that no backlog overflows.
  static constexpr std::size_t connecting_limit = 256;
  /// The time before a failed connection is retried, in a closed loop.
  static constexpr std::chrono::milliseconds rest{100};
  /// The time before a request that got 503 is sent again.
  static constexpr std::chrono::milliseconds repeat_after{250};
  /// The least time between wake-ups by the timer. At high rates, one wake-up sends everything that
  /// became due since the last one, at most this much late. Ticks replace it when they are used.
  static constexpr std::chrono::microseconds wake_spacing{40};
  /// Requests in quick succession are sent together, once per tick, at most this much late or
  /// early. A wake-up costs as much as several requests, and so does waking the service.
  static constexpr std::chrono::microseconds late_limit{50};
  static constexpr std::chrono::microseconds ahead_limit{100};
  static constexpr std::chrono::microseconds tick = late_limit + ahead_limit;
  /// The number of requests to send before the loop polls its sockets again.
  static constexpr std::size_t sends_per_turn = 64;

  /// `index`: the number of this thread. It has its share of the connections, addresses, requests
  /// and entries of a log. `tls`: the thread's own context; null: requests are sent without TLS.
  generator(caf::actor_system& system, const base::clock& clock, const load_plan& plan,
            std::size_t index, std::shared_ptr<http::tls_context> tls);
  ~generator() override;

  /// Runs the loop until the load is complete. The calling thread becomes the loop's thread. It
  /// calls `when_connected` once all connections have been tried; the load starts with `begin`.
  void run(std::function<void()> when_connected);
  /// Starts the load: the ramp begins at `start`. Any thread, once.
  void begin(base::steady_time start);
  /// Stops sending; `run` waits for the requests in progress, or returns if the load has not begun.
  /// Any thread.
  void stop_early();
  /// Gives up the requests in progress; `run` returns. Any thread, after `stop_early`.
  void abandon();
  /// Calls `taker`, on the loop's thread, with what happened since the last call. `taker` is not
  /// called if the loop has ended. Any thread.
  void collect_interval(std::function<void(interval)> taker);

  // -- after `run` has returned -----------------------------------------------

  /// Without the ramp: `parts`, `flows`, `stages` (without what they are), and what this thread
  /// measured of itself. `seconds` is from the end of the ramp to the end of sending, or to the
  /// last reply if that is later.
  const results& counted() const noexcept { return counted_; }
  /// What happened since the last `collect_interval`.
  const interval& last_interval() const noexcept { return interval_; }

private:
  class wake_timer;
  struct part_state {
    reply_check check;
    /// The flow that begins with this row; null if there is none.
    const flow_walk::path* flow;
  };

  // -- client_host ------------------------------------------------------------

  void on_reply(client& from, const reply& that) override;
  void on_failure(client& from, failure kind, std::string_view why) override;
  void on_connected_ahead(client& from) override;

  void connect_more();
  void prepare_replay(std::size_t index);
  request_source::request next_request();
  void pump(std::chrono::nanoseconds ahead = {});
  bool pump_one(base::steady_time now, std::chrono::nanoseconds ahead);
  bool ticks(base::steady_time now) const noexcept;
  void plan_tick();
  void on_tick();
  void send(base::steady_time intended, base::steady_time now);
  request_source::request begin_walk(client& by, const flow_walk::path& along,
                                     base::steady_time intended);
  std::string judge(const client& from, const reply& that);
  bool walk_on(client& from, base::steady_time came);
  void fail_walk(const client& from, failure kind, std::string_view why);
  bool is_recorded(failure kind, std::uint64_t waited_ns) const noexcept;
  void count_unbegun(std::size_t part, std::uint64_t waited_ns);
  void record(const client& from, std::uint64_t took_ns);
  void count_error(const client& from, failure kind, std::string_view why, std::uint64_t waited_ns);
  void become_free(client& which);
  bool is_measured(base::steady_time intended) const noexcept { return intended >= measure_from_; }
  void wake_at(base::steady_time when);
  void on_wake();
  void note_lateness(base::steady_time now);
  void plan_wake(base::steady_time now);
  bool repeats(const client& from, const reply& that) const;
  void repeat_due(base::steady_time now);
  void begin_measuring(base::steady_time now);
  void end_measuring(base::steady_time now);
  void give_up_unsent(base::steady_time now);
  void end_when_done();
  /// Calls `change` with each tally that counts a request of `part` that was due at `intended`.
  template <class Change>
  void count(std::size_t part, base::steady_time intended, const Change& change);

  const base::clock* clock_;
  const load_plan* plan_;
  const options* of_;
  http::event_loop loop_;
  client_setup setup_;

  std::unique_ptr<wake_timer> wake_;
  tick_timer tick_timer_{tick};
  request_source requests_;
  std::optional<arrivals> arrivals_;
  /// The entry of the replayed log that `next_request` returns.
  std::size_t next_entry_ = 0;
  std::vector<part_state> parts_;
  results counted_;
  /// The walks in progress.
  std::unordered_map<const client*, flow_walk> walks_;
  /// Fills the placeholders of flows.
  std::mt19937_64 flow_engine_;
  /// When each stage ends, since the end of the ramp.
  std::vector<std::chrono::nanoseconds> stage_ends_;
  std::vector<std::unique_ptr<client>> clients_;
  std::deque<client*> free_;
  /// Clients that wait until `rest_until_` because they could not connect, in a closed loop.
  std::vector<client*> resting_;
  /// Clients that resend their request, each at its time, the earliest first.
  std::deque<std::pair<base::steady_time, client*>> repeating_;

  interval interval_;
  std::function<void()> when_connected_;
  std::size_t next_to_connect_ = 0;
  std::size_t connecting_ = 0;
  std::size_t in_progress_ = 0;
  bool began_ = false;
  bool sent_all_ = false;
  bool pumping_ = false;
  bool measuring_ = false;
  bool stopped_early_ = false;
  /// No connection was free at the end of the last `pump`.
  bool exhausted_ = false;
  /// Another `pump` at the end of this turn sends the rest of what is due.
  bool pump_planned_ = false;
  /// The turn ends with a tick, which sends what is due; nothing else sends.
  bool tick_planned_ = false;
  base::steady_time start_;
  base::steady_time measure_from_;
  base::steady_time end_;
  base::steady_time rest_until_;
  /// When the next request is due, in an open loop.
  base::steady_time next_;
  /// The last time when no connection was free.
  base::steady_time exhausted_until_;
  /// The last time when this thread was behind schedule although connections were free.
  base::steady_time behind_until_;
  /// When the timer is due; empty if it is not set.
  std::optional<base::steady_time> wakes_at_;
  base::steady_time last_wake_;
  base::steady_time last_reply_;
  /// When this thread noticed the end of the ramp.
  base::steady_time measuring_since_;
  std::chrono::nanoseconds cpu_time_before_{0};
};

template <class Change>
void generator::count(std::size_t part, base::steady_time intended, const Change& change) {
  if (!is_measured(intended)) return;
  change(counted_.parts[part]);
  if (stage_ends_.empty()) return;
  const auto stage = std::ranges::upper_bound(stage_ends_, intended - measure_from_);
  if (stage != stage_ends_.end())
    change(counted_.stages[static_cast<std::size_t>(stage - stage_ends_.begin())].all);
}

} // namespace matchcloud::load
