#pragma once

#include "base/clock.hpp"
#include "base/files/file_descriptor.hpp"
#include "base/latency_counts.hpp"
#include "base/metrics.hpp"

#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace matchcloud::http {

class timer_queue;

/// An object with one deadline. It removes itself from its queue when destroyed.
class timer {
public:
  timer() = default;
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  virtual ~timer();

  bool armed() const noexcept { return in_ != nullptr; }

protected:
  /// Called when the deadline has passed. The timer is no longer armed and may be armed again. It
  /// may destroy itself and other timers.
  virtual void on_deadline() = 0;

private:
  friend class timer_queue;

  /// Null while it is not armed.
  timer_queue* in_ = nullptr;
  /// In ticks of the queue.
  std::uint64_t due_ = 0;
  /// While armed: its place in the queue, and the tick of that, which is earlier than `due_` if the
  /// deadline was moved later.
  std::multimap<std::uint64_t, timer*>::iterator at_;
  std::uint64_t queued_ = 0;
};

/// The deadlines of one event loop, accurate to one tick and never early. Those of one tick fire in
/// the order in which they came. Moving a deadline later costs one store; the timer moves when its
/// old place comes. Used by one thread.
class timer_queue {
public:
  static constexpr std::chrono::milliseconds tick{16};

  explicit timer_queue(base::steady_time start) noexcept : start_{start} {}
  ~timer_queue();

  /// Arms or moves `which` to `deadline`.
  void arm(timer& which, base::steady_time deadline);
  void cancel(timer& which) noexcept;
  /// Fires all timers that are due at `now`.
  void advance(base::steady_time now);
  /// Time until the next timer may be due; nothing if no timer is armed.
  std::optional<std::chrono::milliseconds> next_delay(base::steady_time now) const;

private:
  std::uint64_t tick_of(base::steady_time when) const noexcept;
  void move(timer& which);

  base::steady_time start_;
  std::uint64_t current_ = 0;
  /// By tick.
  std::multimap<std::uint64_t, timer*> queue_;
};

/// Receives the epoll events of one descriptor, on the loop's thread.
class io_handler {
public:
  virtual ~io_handler() = default;
  /// `events` are those of epoll_wait(2).
  virtual void on_events(std::uint32_t events) = 0;
};

/// What an event loop measured about itself. Written by the loop, read by any thread.
struct loop_metrics : base::metric_set {
  /// Time from the return of one epoll_wait to the call of the next: how long a ready connection
  /// can be kept waiting.
  base::latency_counts stall{*this,
                             {"matchcloud_loop_stall_seconds",
                              "How long a turn kept an event loop from looking at its sockets."}};
  /// The kernel's number of the loop's thread; 0 before `run`.
  std::atomic<int> thread_number{0};

  /// How long the loop's thread has waited for a processor, in nanoseconds, as /proc says; 0 if it
  /// does not.
  std::uint64_t waited_ns() const;
};

/// One thread with epoll, timers and the actors that reside on it. It is fair: a turn resumes a
/// bounded number of actors for a bounded time, then looks at the sockets again.
class event_loop final : public caf::execution_unit {
public:
  static constexpr std::size_t resumes_per_turn = 64;
  /// Few, because a message may be about all requests that wait together.
  static constexpr std::size_t messages_per_resume = 4;
  /// How long each kind of work may take in a turn, not counting its last step: accepting, reading,
  /// resident actors, writing and handshakes. A request waits for up to two turns. One step can
  /// take longer: ranking 1,000 regions takes a millisecond, as does a signature with RSA-2048.
  /// Slices of 50 us made `mixed` attackers (docs/benchmarks.md) four times as harmful: each turn
  /// has costs of its own.
  static constexpr std::chrono::microseconds turn_slice{250};
  /// Events handled in a turn. Many, because the work on them is ordered by client, and that
  /// order is fair only among connections that are known to be ready.
  static constexpr int events_per_turn = 1'024;

  /// `busy_poll`: how long the loop looks for events again and again before it sleeps, at most a
  /// millisecond; timers may come that much later.
  event_loop(caf::actor_system& system, const base::clock& clock,
             std::chrono::microseconds busy_poll = {});
  ~event_loop() override;
  event_loop(const event_loop&) = delete;
  event_loop& operator=(const event_loop&) = delete;
  event_loop(event_loop&&) = delete;
  event_loop& operator=(event_loop&&) = delete;

  /// Turns until `stop`. The calling thread becomes the loop's thread.
  void run();
  /// Runs one turn, which waits as long as one of `run` would. The calling thread becomes the
  /// loop's thread. Lets a test or a simulation drive a loop, with its clock, from one thread.
  void run_once();
  /// Ends `run` after the current turn. Any thread.
  void stop();
  /// Runs `task` on the loop's thread. Any thread.
  void post(std::function<void()> task);

  /// Queues a resident (`io_actor`) for this loop, anything else for the actor system's scheduler.
  /// Any thread.
  void exec_later(caf::resumable* ptr) override;

  // -- for the loop's thread only ---------------------------------------------

  bool in_loop() const noexcept {
    return std::this_thread::get_id() == thread_.load(std::memory_order_relaxed);
  }
  /// The time when the current turn began, or when its last resume ended.
  base::steady_time now() const noexcept { return now_; }
  timer_queue& timers() noexcept { return timers_; }
  /// Runs `task` after the events of the current turn and before the resumes; if called later, in
  /// the next turn.
  void after_events(std::function<void()> task);
  /// Runs `task` at the end of the current turn, after the resumes.
  void at_turn_end(std::function<void()> task);

  /// Registers `fd` for `events`. Returns 0 or errno, as `modify` does.
  int watch(int fd, std::uint32_t events, io_handler& handler) {
    return control(EPOLL_CTL_ADD, fd, events, handler);
  }
  int modify(int fd, std::uint32_t events, io_handler& handler) {
    return control(EPOLL_CTL_MOD, fd, events, handler);
  }
  void unwatch(int fd);

  const loop_metrics& metrics() const noexcept { return metrics_; }

private:
  int control(int operation, int fd, std::uint32_t events, io_handler& handler);
  void turn();
  /// Runs the tasks, except those that they add.
  static void run_all(std::vector<std::function<void()>>& tasks,
                      std::vector<std::function<void()>>& running);
  int wait_ms();
  /// Waits for events as long as there is nothing else to do. Returns their number.
  int wait(std::span<epoll_event> events);
  void take_remote();
  void run_residents();
  /// Adds an item to a queue of the loop's thread and wakes the loop. Any thread.
  template <class Item>
  void push_remote(std::vector<Item>& to, Item item);
  void wake();

  const base::clock* clock_;
  std::chrono::microseconds busy_poll_;
  base::file_descriptor epoll_;
  base::file_descriptor wake_fd_;
  std::atomic<std::thread::id> thread_;
  base::steady_time now_;
  timer_queue timers_;
  std::deque<caf::resumable*> ready_;
  std::vector<std::function<void()>> after_events_;
  std::vector<std::function<void()>> turn_end_;
  /// The tasks that are running; a member to keep its memory.
  std::vector<std::function<void()>> running_;
  std::atomic<bool> stopping_{false};
  loop_metrics metrics_;

  std::mutex remote_mutex_;
  std::vector<caf::resumable*> remote_ready_;
  std::vector<std::function<void()>> remote_tasks_;
  /// A wake-up has been sent and not yet received; guarded by `remote_mutex_`.
  bool waking_ = false;
};

} // namespace matchcloud::http
