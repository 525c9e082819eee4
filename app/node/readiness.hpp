#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace matchcloud::app {

/// Whether the service is ready: it serves and no restart storm is going on. Different threads set
/// the two parts. Changes are reported one after the other, so that the last report is the current
/// state. Any thread.
class readiness {
public:
  /// `tell` is called under a lock, on the thread that sets a part.
  explicit readiness(std::function<void(bool ready)> tell) : tell_{std::move(tell)} {}

  void set_serving(bool serves) { set(serving_, serves); }
  void set_storming(bool storms) { set(storming_, storms); }
  /// Stops reporting, before the receiver is destroyed. Waits for a report in progress.
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
