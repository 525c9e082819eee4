#pragma once

#include "http/loop/event_loop.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace matchcloud::app {

/// Finds out whether event loops turn. One thread; the loops outlive it.
class loop_pulse {
public:
  void add(http::event_loop& loop) { loops_.push_back(&loop); }

  /// Whether every loop has run its last task; true at the first call. If so, posts a new task to
  /// each loop, so that a hanging loop has at most one.
  bool beat() {
    if (left_->load() > 0) return false;
    left_->store(loops_.size());
    for (auto* each : loops_)
      each->post([left = left_] { left->fetch_sub(1); });
    return true;
  }

private:
  std::vector<http::event_loop*> loops_;
  /// How many loops have not run their task yet.
  std::shared_ptr<std::atomic<std::size_t>> left_ = std::make_shared<std::atomic<std::size_t>>(0);
};

} // namespace matchcloud::app
