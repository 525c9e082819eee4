#include "base/blocking_pool.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace matchcloud::base {

thread_pool::thread_pool(std::size_t threads, int nice_level, std::size_t queue_limit)
    : queue_limit_{queue_limit} {
  threads_.reserve(threads);
  try {
    while (threads_.size() < threads)
      threads_.emplace_back([this, nice_level] { work(nice_level); });
  } catch (...) { // no more threads: join the running ones, or the process aborts
    end();
    throw;
  }
}

void thread_pool::end() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
}

bool thread_pool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock{mutex_};
    if (stopping_ || tasks_.size() >= queue_limit_) return false;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

std::size_t thread_pool::queued() const {
  const std::lock_guard lock{mutex_};
  return tasks_.size();
}

void thread_pool::work(int nice_level) {
  // On Linux a nice level belongs to the thread. If setting it fails, the pool still works, at
  // normal priority.
  if (nice_level > 0) static_cast<void>(setpriority(PRIO_PROCESS, gettid(), nice_level));
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock{mutex_};
      wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

} // namespace matchcloud::base
