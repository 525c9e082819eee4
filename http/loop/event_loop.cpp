#include "http/loop/event_loop.hpp"

#include <caf/actor_system.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace matchcloud::http {

namespace {

base::file_descriptor checked(int fd, const char* call) {
  if (fd < 0) throw std::system_error{errno, std::generic_category(), call};
  return base::file_descriptor{fd};
}

} // namespace

event_loop::event_loop(caf::actor_system& system, const base::clock& clock,
                       std::chrono::microseconds busy_poll)
    : caf::execution_unit{&system},
      clock_{&clock},
      busy_poll_{busy_poll},
      epoll_{checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")},
      wake_fd_{checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")},
      now_{clock.now()},
      timers_{now_} {
  epoll_event interest{};
  interest.events = EPOLLIN;
  interest.data.ptr = nullptr; // null marks the wake-up descriptor, which has no handler
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_fd_.get(), &interest) != 0)
    throw std::system_error{errno, std::generic_category(), "epoll_ctl"};
}

event_loop::~event_loop() {
  for (auto* left : ready_)
    caf::intrusive_ptr_release(left);
  for (auto* left : remote_ready_)
    caf::intrusive_ptr_release(left);
}

std::uint64_t loop_metrics::waited_ns() const {
  // Time on a processor, time waiting for one, and turns: Documentation/scheduler/sched-stats.rst.
  std::ifstream file{"/proc/self/task/" + std::to_string(thread_number.load()) + "/schedstat"};
  std::uint64_t ran_ns = 0;
  std::uint64_t waited_ns = 0;
  return file >> ran_ns >> waited_ns ? waited_ns : 0;
}

void event_loop::run() {
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  metrics_.thread_number.store(::gettid());
  while (!stopping_.load(std::memory_order_acquire))
    turn();
}

void event_loop::run_once() {
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  turn();
}

void event_loop::stop() {
  stopping_.store(true, std::memory_order_release);
  wake();
}

template <class Item>
void event_loop::push_remote(std::vector<Item>& to, Item item) {
  {
    const std::lock_guard lock{remote_mutex_};
    to.push_back(std::move(item));
    if (std::exchange(waking_, true)) return;
  }
  wake();
}

void event_loop::post(std::function<void()> task) {
  push_remote(remote_tasks_, std::move(task));
}

void event_loop::exec_later(caf::resumable* ptr) {
  if (ptr->subtype() != caf::resumable::io_actor) {
    system().scheduler().enqueue(ptr);
    return;
  }
  if (in_loop()) {
    ready_.push_back(ptr);
    return;
  }
  push_remote(remote_ready_, ptr);
}

void event_loop::after_events(std::function<void()> task) {
  after_events_.push_back(std::move(task));
}

void event_loop::at_turn_end(std::function<void()> task) {
  turn_end_.push_back(std::move(task));
}

void event_loop::turn() {
  std::array<epoll_event, events_per_turn> events;
  const int count = wait(events);
  now_ = clock_->now();
  const auto begin = now_;
  bool woken = false;
  for (int i = 0; i < count; ++i) {
    if (auto* handler = static_cast<io_handler*>(events[i].data.ptr))
      handler->on_events(events[i].events);
    else
      woken = true;
  }
  // Posted tasks run after the events, because a task may destroy a handler that has an event in
  // this batch.
  if (woken) take_remote();
  run_all(after_events_, running_);
  run_residents();
  timers_.advance(now_);
  run_all(turn_end_, running_);
  now_ = clock_->now();
  const auto busy = std::chrono::duration_cast<std::chrono::nanoseconds>(now_ - begin);
  metrics_.stall.observe(static_cast<std::uint64_t>(busy.count()));
}

void event_loop::run_all(std::vector<std::function<void()>>& tasks,
                         std::vector<std::function<void()>>& running) {
  running.swap(tasks);
  for (auto& task : running)
    task();
  running.clear();
}

int event_loop::wait(std::span<epoll_event> events) {
  const auto look = [&](int most_ms) {
    return epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), most_ms);
  };
  const auto most_ms = wait_ms();
  if (busy_poll_.count() == 0 || most_ms == 0) return look(most_ms);
  const auto until = clock_->now() + busy_poll_;
  do {
    if (const auto count = look(0); count > 0) return count;
  } while (clock_->now() < until);
  return look(most_ms);
}

int event_loop::wait_ms() {
  if (!ready_.empty() || !after_events_.empty() || !turn_end_.empty()) return 0;
  const auto delay = timers_.next_delay(now_);
  constexpr std::chrono::milliseconds most = std::chrono::minutes{1};
  return delay ? static_cast<int>(std::min(*delay, most).count()) : -1;
}

void event_loop::take_remote() {
  std::uint64_t wakes = 0;
  static_cast<void>(!::read(wake_fd_.get(), &wakes, sizeof wakes));
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock{remote_mutex_};
    waking_ = false;
    ready_.insert(ready_.end(), remote_ready_.begin(), remote_ready_.end());
    remote_ready_.clear();
    tasks.swap(remote_tasks_);
  }
  for (auto& task : tasks)
    task();
}

void event_loop::run_residents() {
  if (ready_.empty()) return;
  const auto until = clock_->now() + turn_slice;
  for (std::size_t i = 0; i < resumes_per_turn && now_ < until && !ready_.empty(); ++i) {
    auto* next = ready_.front();
    ready_.pop_front();
    const auto outcome = next->resume(this, messages_per_resume);
    now_ = clock_->now();
    switch (outcome) {
    case caf::resumable::resume_later: ready_.push_back(next); break;
    case caf::resumable::awaiting_message:
    case caf::resumable::done:
    case caf::resumable::shutdown_execution_unit: caf::intrusive_ptr_release(next); break;
    }
  }
}

void event_loop::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_fd_.get(), &one, sizeof one));
}

int event_loop::control(int operation, int fd, std::uint32_t events, io_handler& handler) {
  epoll_event interest{};
  interest.events = events;
  interest.data.ptr = &handler;
  return epoll_ctl(epoll_.get(), operation, fd, &interest) == 0 ? 0 : errno;
}

void event_loop::unwatch(int fd) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

timer::~timer() {
  if (armed()) in_->cancel(*this);
}

timer_queue::~timer_queue() {
  for (const auto& [at, left] : queue_)
    left->in_ = nullptr;
}

std::uint64_t timer_queue::tick_of(base::steady_time when) const noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, (when - start_) / tick));
}

void timer_queue::arm(timer& which, base::steady_time deadline) {
  // The first tick after the deadline, so that the timer never fires early.
  which.due_ = std::max(tick_of(deadline), current_) + 1;
  if (!which.armed()) {
    which.at_ = queue_.emplace(which.due_, &which);
    which.in_ = this;
    which.queued_ = which.due_;
  } else if (which.due_ < which.queued_) {
    move(which);
  }
}

void timer_queue::move(timer& which) {
  auto moved = queue_.extract(which.at_);
  moved.key() = which.due_;
  which.at_ = queue_.insert(std::move(moved));
  which.queued_ = which.due_;
}

void timer_queue::cancel(timer& which) noexcept {
  if (std::exchange(which.in_, nullptr) != nullptr) queue_.erase(which.at_);
}

void timer_queue::advance(base::steady_time now) {
  const auto target = tick_of(now);
  while (!queue_.empty() && queue_.begin()->first <= target) {
    auto& [at, first] = *queue_.begin();
    current_ = at;
    if (first->due_ > current_) {
      move(*first);
      continue;
    }
    auto& due = *first;
    cancel(due);
    due.on_deadline();
  }
  current_ = std::max(current_, target);
}

std::optional<std::chrono::milliseconds> timer_queue::next_delay(base::steady_time now) const {
  if (queue_.empty()) return std::nullopt;
  const auto at = tick * static_cast<std::int64_t>(queue_.begin()->first);
  return std::max(at - std::chrono::floor<std::chrono::milliseconds>(now - start_), at.zero());
}

} // namespace matchcloud::http
