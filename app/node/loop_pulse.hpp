#pragma once

#include "http/loop/event_loop.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace matchcloud::app {

/// Tells whether event loops turn. One thread; the loops outlive it.
class loop_pulse {
public:
  void add(http::event_loop& loop) { loops_.push_back(&loop); }

  /// Whether every loop has run the task that the last call that returned true gave it (the first
  /// call gave none before). If so, gives each another one; so a loop that hangs has one at most.
  bool beat();

private:
  std::vector<http::event_loop*> loops_;
  /// How many loops have not run it yet.
  std::shared_ptr<std::atomic<std::size_t>> left_ = std::make_shared<std::atomic<std::size_t>>(0);
};

} // namespace matchcloud::app
