#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace matchcloud::actors {

/// What one actor tells about itself. Written by the actor, read by any thread, also after its end.
class actor_statistics {
public:
  /// A request was handled (polls, of actors that get none). The actor's thread only.
  void count_handled() noexcept {
    handled_.store(handled_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::uint64_t handled() const noexcept { return handled_.load(std::memory_order_relaxed); }

  /// What it died of.
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
