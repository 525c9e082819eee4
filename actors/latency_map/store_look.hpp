#pragma once

#include "actors/latency_map/messages.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace matchcloud::actors {

/// A look at the store, one at a time for all successive actors, and what came of it. It outlives
/// the actor: a task continues when its actor dies, and its successor takes the result. Any thread.
class store_look {
public:
  /// Begins a look; false while another one is under way or its result waits to be taken.
  bool begin() {
    const std::lock_guard lock{mutex_};
    if (result_) return false;
    return !std::exchange(is_under_way_, true);
  }
  void end(latencies_kept result) {
    const std::lock_guard lock{mutex_};
    is_under_way_ = false;
    result_ = std::move(result);
  }
  /// Ends a look that could not begin.
  void give_up() {
    const std::lock_guard lock{mutex_};
    is_under_way_ = false;
  }
  /// What came of the last look, once.
  std::optional<latencies_kept> take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(result_, std::nullopt);
  }

private:
  std::mutex mutex_;
  bool is_under_way_ = false;
  std::optional<latencies_kept> result_;
};

} // namespace matchcloud::actors
