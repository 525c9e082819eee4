#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace matchcloud::base {

/// Runs blocking work (database, files) off the event loops and off the actors' threads. Tasks
/// report their result by sending a message; they must not throw.
class blocking_pool {
public:
  virtual ~blocking_pool() = default;
  /// Queues `task`. Returns false, and never runs the task, if the queue is full or the pool is
  /// stopping. Any thread.
  virtual bool submit(std::function<void()> task) = 0;
};

/// The pool of the real program: a fixed number of threads, usually at low priority.
class thread_pool final : public blocking_pool {
public:
  static constexpr std::size_t default_queue_limit = 1'024;

  /// `nice_level`: 0 to 19, see setpriority(2).
  thread_pool(std::size_t threads, int nice_level, std::size_t queue_limit = default_queue_limit);
  ~thread_pool() override { end(); }
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  bool submit(std::function<void()> task) override;
  /// Runs the queued tasks, then joins the threads; from then on it accepts no more. Not on a
  /// thread of its own.
  void end();
  /// The number of tasks waiting for a thread. Any thread.
  std::size_t queued() const;

private:
  void work(int nice_level);

  std::size_t queue_limit_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

} // namespace matchcloud::base
