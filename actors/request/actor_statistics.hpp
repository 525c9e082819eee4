#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace matchcloud::actors {

/// What one actor reports about itself. Written by the actor; readable from any thread, even after
/// the actor has ended.
class actor_statistics {
public:
  /// Counts a handled request (or a poll, for actors that get no requests). The actor's thread
  /// only.
  void count_handled() noexcept {
    handled_.store(handled_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::uint64_t handled() const noexcept { return handled_.load(std::memory_order_relaxed); }

  /// Records the error that ended the actor.
  void set_last_error(std::string what) {
    const std::lock_guard lock{mutex_};
    last_error_ = std::move(what);
  }
  std::string last_error() const {
    const std::lock_guard lock{mutex_};
    return last_error_;
  }

private:
  std::atomic<std::uint64_t> handled_{0};
  mutable std::mutex mutex_;
  std::string last_error_;
};

} // namespace matchcloud::actors
