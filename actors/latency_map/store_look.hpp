#pragma once

#include "actors/latency_map/messages.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace matchcloud::actors {

/// An access to the store, one at a time for all successive actors, and its result. It outlives the
/// actor: if the actor dies, the task continues, and the successor takes the result. Any thread.
class store_look {
public:
  /// Begins an access; false while another one is running or its result has not been taken.
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
  /// Ends an access that could not begin.
  void give_up() {
    const std::lock_guard lock{mutex_};
    is_under_way_ = false;
  }
  /// Takes the result of the last access, once.
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
