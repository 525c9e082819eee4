#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/loop/event_loop.hpp"
#include "load/client.hpp"
#include "load/io.hpp"
#include "load/options.hpp"
#include "load/request_source.hpp"
#include "load/results.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
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

/// The processor time of this thread so far.
inline std::chrono::nanoseconds thread_cpu_time() noexcept {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
}

/// Whether a reply has the wanted status; 0 means any below 500.
inline bool is_wanted(int status, int wanted) noexcept {
  return wanted == 0 ? status < 500 : status == wanted;
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
  static constexpr std::size_t read_buffer_bytes = 256UL * 1024;
  /// The number of requests to send before the loop polls its sockets again.
  static constexpr std::size_t sends_per_turn = 64;

  /// `index`: the number of this thread. It has its share of the connections, addresses, requests
  /// and entries of a log. `tls`: the thread's own context; null: requests are sent without TLS.
  generator(caf::actor_system& system, const base::clock& clock, const load_plan& plan,
            std::size_t index, std::shared_ptr<http::tls_context> tls)
      : clock_{&clock},
        plan_{&plan},
        of_{plan.of},
        loop_{system, clock},
        setup_{loop_,
               plan.server,
               std::move(tls),
               plan.host_name,
               of_->timeout,
               of_->requests_per_connection,
               std::vector<char>(read_buffer_bytes)},
        wake_{std::make_unique<wake_timer>(*this)},
        requests_{of_->mix, plan.pools, seed_of(*of_, index)},
        flow_engine_{seed_of(*of_, index) + 2} {
    const auto threads = of_->threads;
    if (of_->open_loop) {
      const auto share = 1 / static_cast<double>(threads);
      arrivals_.emplace(of_->open_loop->times(share), static_cast<double>(index) * share,
                        seed_of(*of_, index) + 1);
      for (const auto& each : of_->open_loop->stages)
        stage_ends_.push_back(each.length +
                              (stage_ends_.empty() ? each.length * 0 : stage_ends_.back()));
      counted_.stages.resize(stage_ends_.size());
    }
    for (const auto& row : rows_of(of_->mix))
      parts_.push_back({reply_check{row.form().expected}, nullptr});
    for (const auto& flow : plan.flows)
      parts_[flow.first_row].flow = &flow;
    if (of_->replay) prepare_replay(index);
    counted_.parts.resize(parts_.size());
    interval_.parts.resize(parts_.size());
    counted_.flows.resize(plan.flows.size());
    client_host& host = *this;
    // Connection i of all threads is that of thread i % threads, with token i and address i.
    for (std::size_t i = index; i < of_->connections; i += threads) {
      std::optional<network_address> source;
      if (!plan.sources.empty()) source = plan.sources[i % plan.sources.size()];
      std::string_view token;
      if (!of_->tokens.empty()) token = of_->tokens[i % of_->tokens.size()];
      clients_.push_back(std::make_unique<client>(host, setup_, source, token));
    }
  }

  /// Runs the loop until the load is complete. The calling thread becomes the loop's thread. It
  /// calls `when_connected` once all connections have been tried; the load starts with `begin`.
  void run(std::function<void()> when_connected) {
    when_connected_ = std::move(when_connected);
    loop_.post([this] { connect_more(); });
    loop_.run();
    counted_.seconds =
        std::chrono::duration<double>(std::max(end_, last_reply_) - measure_from_).count();
    for (const auto& each : clients_)
      counted_.resent_segments += each->resent_segments();
  }

  /// Starts the load: the ramp begins at `start`. Any thread, once.
  void begin(base::steady_time start) {
    loop_.post([this, start] {
      start_ = start;
      measure_from_ = start + of_->ramp;
      end_ = measure_from_ + of_->duration;
      next_ = start;
      for (const auto& each : clients_)
        free_.push_back(each.get());
      if (arrivals_) next_ = start_ + arrivals_->next();
      began_ = true;
      wake_at(start_);
    });
  }

  /// Stops sending; `run` waits for the requests in progress, or returns if the load has not begun.
  /// Any thread.
  void stop_early() {
    loop_.post([this] {
      stopped_early_ = true;
      end_ = std::min(end_, clock_->now());
      if (!began_)
        loop_.stop();
      else
        on_wake();
    });
  }

  /// Gives up the requests in progress; `run` returns. Any thread, after `stop_early`.
  void abandon() {
    loop_.post([this] {
      for (const auto& each : clients_)
        each->abandon();
      loop_.stop();
    });
  }

  /// Calls `taker`, on the loop's thread, with what happened since the last call. `taker` is not
  /// called if the loop has ended. Any thread.
  void collect_interval(std::function<void(interval)> taker) {
    loop_.post([this, taker = std::move(taker)] {
      taker(interval_);
      interval_.clear();
    });
  }

  // -- after `run` has returned -----------------------------------------------

  /// Without the ramp: `parts`, `flows`, `stages`, and what this thread
  /// measured of itself. `seconds` is from the end of the ramp to the end of sending, or to the
  /// last reply if that is later.
  const results& counted() const noexcept { return counted_; }
  /// What happened since the last `collect_interval`.
  const interval& last_interval() const noexcept { return interval_; }

private:
  /// Wakes the loop with a precision of microseconds; the loop's own timers are for deadlines and
  /// have a tick of 16 ms.
  class wake_timer final : public http::io_handler {
  public:
    explicit wake_timer(generator& owner)
        : owner_{&owner}, fd_{::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)} {
      if (!fd_) throw std::system_error{errno, std::generic_category(), "timerfd_create"};
      // With an edge-triggered event, setting the timer again is enough; no read is needed.
      if (const int code = owner.loop_.watch(fd_.get(), EPOLLIN | EPOLLET, *this); code != 0)
        throw std::system_error{code, std::generic_category(), "epoll_ctl"};
    }

    void set(base::steady_time when) noexcept { set_timer(fd_, when); }

    void on_events(std::uint32_t) override { owner_->on_wake(); }

  private:
    generator* owner_;
    base::file_descriptor fd_;
  };
  /// Far apart, because each thread also uses the next few numbers.
  static std::uint64_t seed_of(const options& of, std::size_t index) noexcept {
    return of.seed * 1'000 + index * 10;
  }

  struct part_state {
    reply_check check;
    /// The flow that begins with this row; null if there is none.
    const flow_walk::path* flow;
  };

  // -- client_host ------------------------------------------------------------

  void on_reply(client& from, const reply& that) override {
    if (repeats(from, that)) {
      count(from.request().part, from.intended(), [](tally& counted) { ++counted.repeated; });
      repeating_.emplace_back(clock_->now() + repeat_after, &from);
      pump();
      return;
    }
    const auto now = clock_->now();
    auto came = now - from.reply_age();
    if (came < from.intended()) came = now; // the kernel's clock was set in between
    last_reply_ = std::max(last_reply_, came);
    const auto took = since(from.intended(), came);
    count(from.request().part, from.intended(),
          [&](tally& counted) { ++counted.by_status[that.status]; });
    bool goes_on = false;
    if (!is_wanted(that.status, from.request().status)) {
      const bool is_away = that.status == 503 && that.asks_back;
      count_error(from, is_away ? failure::unavailable : failure::status,
                  std::to_string(that.status) + " " +
                      from.masked(std::string{that.body.substr(0, 200)}),
                  took);
    } else if (const auto wrong = judge(from, that); !wrong.empty()) {
      count_error(from, failure::content, from.masked(wrong), took);
    } else {
      record(from, took);
      ++interval_.parts[from.request().part].answered;
      count(from.request().part, from.intended(), [](tally& counted) { ++counted.answered; });
      goes_on = walk_on(from, came);
    }
    if (!goes_on) become_free(from);
    pump();
  }

  void on_failure(client& from, failure kind, std::string_view why) override {
    count_error(from, kind, why, since(from.intended(), clock_->now()));
    become_free(from);
    if (!arrivals_ && (kind == failure::connect || kind == failure::local)) {
      // An immediate retry would only fail again.
      free_.pop_back();
      if (resting_.empty()) rest_until_ = clock_->now() + rest;
      resting_.push_back(&from);
    }
    pump();
  }

  void on_connected_ahead(client& from) override {
    --connecting_;
    if (!from.is_connected()) ++counted_.unconnected;
    // Done at the end of the turn, not here, because connections that fail at once would nest calls
    // deeply.
    loop_.at_turn_end([this] { connect_more(); });
  }

  void connect_more() {
    // If each request has its own connection, none is opened ahead.
    if (of_->requests_per_connection == 1) next_to_connect_ = clients_.size();
    while (connecting_ < connecting_limit && next_to_connect_ < clients_.size()) {
      ++connecting_;
      clients_[next_to_connect_++]->connect_ahead();
    }
    if (connecting_ == 0 && when_connected_) std::exchange(when_connected_, nullptr)();
  }

  void prepare_replay(std::size_t index) {
    // Only the status of the replies is known.
    static const expectation any_reply;
    for (std::size_t i = 0; i < of_->replay->rows.size(); ++i)
      parts_.push_back({reply_check{any_reply}, nullptr});
    const auto& entries = of_->replay->entries;
    std::vector<std::chrono::nanoseconds> times;
    for (std::size_t i = index; i < entries.size(); i += of_->threads)
      times.push_back(entries[i].at);
    arrivals_.emplace(std::move(times));
    next_entry_ = index;
  }

  request_source::request next_request() {
    if (!of_->replay) return requests_.next();
    const auto& entry = of_->replay->entries[next_entry_];
    next_entry_ += of_->threads;
    const auto& bytes = plan_->replayed[entry.request];
    return {entry.row, bytes.text, bytes.token_at, entry.status};
  }

  void pump(std::chrono::nanoseconds ahead = {}) {
    if (!began_ || pumping_ || tick_planned_) return;
    // A request that fails at once frees its connection at once, which calls `pump` again: this
    // flag prevents recursion.
    pumping_ = true;
    auto now = clock_->now();
    if (!measuring_ && measuring_since_ == base::steady_time{} && now >= measure_from_)
      begin_measuring(now);
    if (measuring_ && now >= end_) end_measuring(now);
    note_lateness(now);
    std::size_t sent = 0;
    for (; sent < sends_per_turn && !free_.empty() && pump_one(now, ahead); ++sent)
      now = clock_->now();
    exhausted_ = free_.empty();
    give_up_unsent(now);
    repeat_due(now); // later ones get a wake-up
    if (sent == sends_per_turn && !std::exchange(pump_planned_, true))
      loop_.at_turn_end([this] {
        pump_planned_ = false;
        pump();
      });
    if (sent < sends_per_turn && ticks(now))
      plan_tick();
    else
      plan_wake(now);
    pumping_ = false;
    end_when_done();
  }

  /// Sends the next request if it is due now or within `ahead`. Returns whether it was sent.
  bool pump_one(base::steady_time now, std::chrono::nanoseconds ahead) {
    const auto intended = arrivals_ ? next_ : now;
    if (intended >= end_) {
      sent_all_ = true;
      return false;
    }
    // Either the request is not due yet, or it is too late and `give_up_unsent` gives up the rest.
    if (intended > now + ahead || stopped_early_ || now >= end_ + of_->timeout) return false;
    // A request sent ahead of its time is measured from when it is sent.
    send(std::min(intended, now), now);
    if (arrivals_) next_ = start_ + arrivals_->next();
    return true;
  }

  /// Whether requests follow each other so fast that ticks are cheaper than a wake-up for each. Not
  /// if no connection is free, because then each reply matters, and not with TLS, which does not
  /// say when a reply arrived.
  bool ticks(base::steady_time now) const noexcept {
    return arrivals_ && !setup_.tls && !sent_all_ && !free_.empty() && next_ - now < 2 * tick;
  }

  /// Ends this turn, or the next one if this one is already ending, with a tick.
  void plan_tick() {
    tick_planned_ = true;
    loop_.at_turn_end([this] { on_tick(); });
  }

  /// Sends the requests of the tick whose replies have just been read, and waits for the next tick.
  /// During the wait, nothing polls the sockets, so replies cause no wake-ups here and cost the
  /// service none for sending them.
  void on_tick() {
    tick_planned_ = false;
    pump(ahead_limit);
    if (tick_planned_) tick_timer_.wait(clock_->now());
  }

  void send(base::steady_time intended, base::steady_time now) {
    auto* const by = free_.front();
    free_.pop_front();
    auto what = next_request();
    if (const auto* flow = parts_[what.part].flow; flow != nullptr)
      what = begin_walk(*by, *flow, intended);
    ++in_progress_;
    ++interval_.parts[what.part].sent;
    const bool waited = intended < exhausted_until_ && intended > behind_until_;
    count(what.part, intended, [&](tally& counted) {
      ++counted.sent;
      counted.late.delays.record(since(intended, now));
      if (now - intended > late_sends::late_after)
        ++(waited ? counted.late.for_connections : counted.late.by_generator);
    });
    by->ask(what, intended, waited ? intended : now);
  }

  /// Begins a flow on the client, which keeps it until the flow has ended. Returns the first
  /// request.
  request_source::request begin_walk(client& by, const flow_walk::path& along,
                                     base::steady_time intended) {
    auto& walk = walks_.insert_or_assign(&by, flow_walk{along, intended}).first->second;
    if (is_measured(intended)) ++counted_.flows[along.index].sent;
    return walk.begin(flow_engine_);
  }

  /// Returns what is wrong with a reply that has the right status. For a flow, also makes its next
  /// request.
  std::string judge(const client& from, const reply& that) {
    auto wrong = parts_[from.request().part].check.judge(that);
    if (!wrong.empty()) return wrong;
    auto* const walk = walk_of(from);
    return walk == nullptr ? wrong : walk->take(that, flow_engine_);
  }

  /// The flow that the client is in; null if there is none.
  flow_walk* walk_of(const client& by) {
    if (walks_.empty()) return nullptr;
    const auto found = walks_.find(&by);
    return found == walks_.end() ? nullptr : &found->second;
  }

  /// Sends the next request of the client's flow. False if there is none.
  bool walk_on(client& from, base::steady_time came) {
    const auto* const walk = walk_of(from);
    if (walk == nullptr) return false;
    if (!walk->next()) {
      if (is_measured(walk->began())) {
        auto& counted = counted_.flows[walk->index()];
        ++counted.answered;
        counted.latency.record(since(walk->began(), came));
      }
      walks_.erase(&from);
      return false;
    }
    if (stopped_early_) {
      fail_walk(from, failure::abandoned, "not sent because a signal ended the run");
      return false;
    }
    // A later step is due when the reply to the previous one has been read.
    const auto now = clock_->now();
    ++interval_.parts[walk->next()->part].sent;
    count(walk->next()->part, now, [](tally& counted) {
      ++counted.sent;
      counted.late.delays.record(0);
    });
    from.ask(*walk->next(), now, now);
    return true;
  }

  /// Ends the client's flow, if it is in one, at a step that failed.
  void fail_walk(const client& from, failure kind, std::string_view why) {
    const auto* const walk = walk_of(from);
    if (walk == nullptr) return;
    if (is_measured(walk->began())) {
      auto& counted = counted_.flows[walk->index()];
      const auto waited = since(walk->began(), clock_->now());
      counted.fail(kind, walk->step_name() + ": " + std::string{why});
      if (is_recorded(kind, waited)) counted.latency.record(waited);
    }
    walks_.erase(&from);
  }

  /// Errors are quick or slow for their own reasons, so percentiles leave them out. Errors that
  /// waited for at least the timeout count, because a stall would otherwise improve the
  /// percentiles.
  bool is_recorded(failure kind, std::uint64_t waited_ns) const noexcept {
    const auto timeout = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(of_->timeout).count());
    return waited_ns >= timeout || kind == failure::abandoned;
  }

  /// Counts a request that was not sent for the flow that it would have begun, if any.
  void count_unbegun(std::size_t part, std::uint64_t waited_ns) {
    const auto* flow = parts_[part].flow;
    if (flow == nullptr) return;
    auto& counted = counted_.flows[flow->index];
    counted.fail(failure::unsent, "no connection was free");
    counted.latency.record(waited_ns);
  }

  /// Records how long a request took, in all histograms that have it.
  void record(const client& from, std::uint64_t took_ns) {
    const auto part = from.request().part;
    interval_.parts[part].latency.record(took_ns);
    interval_.latency.record(took_ns);
    count(part, from.intended(), [took_ns](tally& counted) { counted.latency.record(took_ns); });
    if (is_measured(from.intended()))
      counted_.on_time.record(took_ns - std::min(took_ns, since(from.intended(), from.on_time())));
  }

  void count_error(const client& from, failure kind, std::string_view why,
                   std::uint64_t waited_ns) {
    fail_walk(from, kind, why);
    const auto part = from.request().part;
    ++interval_.parts[part].failures[static_cast<std::size_t>(kind)];
    count(part, from.intended(), [&](tally& counted) { counted.fail(kind, why); });
    if (is_recorded(kind, waited_ns)) record(from, waited_ns);
  }

  void become_free(client& which) {
    --in_progress_;
    free_.push_back(&which);
  }

  bool is_measured(base::steady_time intended) const noexcept { return intended >= measure_from_; }
  void wake_at(base::steady_time when) {
    when = std::max(when, last_wake_ + wake_spacing);
    // Waking too early does no harm and costs no more than setting the timer again.
    if (wakes_at_ && *wakes_at_ <= when) return;
    wakes_at_ = when;
    wake_->set(when);
  }

  void on_wake() {
    wakes_at_.reset();
    const auto now = last_wake_ = clock_->now();
    if (!resting_.empty() && now >= rest_until_) {
      free_.insert(free_.end(), resting_.begin(), resting_.end());
      resting_.clear();
    }
    pump();
  }

  /// Requests that become overdue while connections are free are this thread's fault, even if they
  /// then find no free connection.
  void note_lateness(base::steady_time now) {
    if (exhausted_)
      exhausted_until_ = now;
    else if (now - next_ > late_sends::late_after)
      behind_until_ = now;
  }

  void plan_wake(base::steady_time now) {
    auto when = base::steady_time::max();
    if (arrivals_ && !free_.empty() && !sent_all_) when = next_;
    if (!resting_.empty()) when = std::min(when, rest_until_);
    if (!repeating_.empty()) when = std::min(when, repeating_.front().first);
    if (now < end_)
      when = std::min(when, end_);
    else if (arrivals_ && !sent_all_)
      when = std::min(when, end_ + of_->timeout);
    if (when > now && when != base::steady_time::max()) wake_at(when);
  }

  /// Whether to resend the request: the server sent Retry-After, and there is time.
  bool repeats(const client& from, const reply& that) const {
    return that.status == 503 && that.asks_back && !stopped_early_ &&
           !is_wanted(that.status, from.request().status) &&
           clock_->now() + repeat_after - from.intended() < of_->repeat_503;
  }

  void repeat_due(base::steady_time now) {
    while (!repeating_.empty() && (repeating_.front().first <= now || stopped_early_)) {
      auto* const by = repeating_.front().second;
      repeating_.pop_front();
      by->ask(by->request(), by->intended(), by->on_time());
    }
  }

  void begin_measuring(base::steady_time now) {
    measuring_ = true;
    measuring_since_ = now;
    cpu_time_before_ = thread_cpu_time();
  }

  void end_measuring(base::steady_time now) {
    measuring_ = false;
    const std::chrono::duration<double> spent = thread_cpu_time() - cpu_time_before_;
    const std::chrono::duration<double> passed = now - measuring_since_;
    if (passed.count() > 0) counted_.busiest_thread_percent = 100 * spent / passed;
  }

  /// Fails the requests that were due but found no free connection: at once after an early stop,
  /// otherwise when the timeout has passed since the end.
  void give_up_unsent(base::steady_time now) {
    if (!arrivals_ || sent_all_ || now < end_) return;
    if (!stopped_early_ && now < end_ + of_->timeout) return;
    for (; next_ < end_; next_ = start_ + arrivals_->next()) {
      if (!is_measured(next_)) continue;
      const auto part = next_request().part;
      count(part, next_, [&](tally& counted) {
        counted.fail(failure::unsent, "no connection was free");
        counted.latency.record(since(next_, now));
      });
      counted_.on_time.record(since(next_, now));
      count_unbegun(part, since(next_, now));
    }
    sent_all_ = true;
  }

  void end_when_done() {
    const auto now = clock_->now();
    if (!arrivals_ && now >= end_) sent_all_ = true;
    if (!sent_all_ || in_progress_ > 0 || now < end_) return;
    if (measuring_) end_measuring(now);
    loop_.stop();
  }

  /// Calls `change` with each tally that counts a request of `part` that was due at `intended`.
  template <class Change>
  void count(std::size_t part, base::steady_time intended, const Change& change) {
    if (!is_measured(intended)) return;
    change(counted_.parts[part]);
    if (stage_ends_.empty()) return;
    const auto stage = std::ranges::upper_bound(stage_ends_, intended - measure_from_);
    if (stage != stage_ends_.end())
      change(counted_.stages[static_cast<std::size_t>(stage - stage_ends_.begin())]);
  }

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

} // namespace matchcloud::load
