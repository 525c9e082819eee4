#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace matchcloud::app {

/// Whether the service is ready, of what threads say that know a part of it each: it serves, and no
/// restart storm rages. Tells one change after the other, so that the last that was told is what
/// is.
class readiness {
public:
  /// `tell` is called by whoever changes a part, under a lock.
  explicit readiness(std::function<void(bool ready)> tell) : tell_{std::move(tell)} {}

  void set_serving(bool serves) { set(serving_, serves); }
  void set_storming(bool storms) { set(storming_, storms); }
  /// From now on nobody is told: who was to be is gone. Returns when nobody is being told any more.
  void end() {
    const std::lock_guard lock{mutex_};
    tell_ = nullptr;
  }

private:
  void set(bool& part, bool value) {
    const std::lock_guard lock{mutex_};
    part = value;
    if (tell_) tell_(serving_ && !storming_);
  }

  std::mutex mutex_;
  std::function<void(bool)> tell_;
  bool serving_ = false;
  bool storming_ = false;
};

} // namespace matchcloud::app
