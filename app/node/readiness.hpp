#pragma once

#include "http/front/service_state.hpp"

#include <functional>
#include <mutex>
#include <utility>

namespace matchcloud::app {

/// Whether the service is ready: it serves, no restart storm is going on, and its store is present
/// and usable by this program's version. Different threads set the parts. Changes are reported one
/// at a time, so that the last report is the current state. Any thread.
class readiness {
public:
  using state = http::service_state;

  /// `tell` is called under a lock, on the thread that sets a part, for as long as this exists.
  explicit readiness(std::function<void(state)> tell) : tell_{std::move(tell)} {}

  void set_serving() { set(phase_, state::ready); }
  void set_draining() { set(phase_, state::draining); }
  void set_storming(bool storms) { set(storming_, storms); }
  /// The store is for newer programs, for good.
  void set_fenced() { set(fenced_, true); }
  /// The store's file has lost its name, or has it again.
  void set_lost(bool is_lost) { set(lost_, is_lost); }

private:
  template <class Part>
  void set(Part& part, Part value) {
    const std::lock_guard lock{mutex_};
    part = value;
    tell_(now());
  }
  state now() const noexcept {
    if (phase_ != state::ready) return phase_;
    if (fenced_) return state::store_newer;
    if (lost_) return state::store_gone;
    return storming_ ? state::restart_storm : state::ready;
  }

  std::mutex mutex_;
  std::function<void(state)> tell_;
  state phase_ = state::starting;
  bool storming_ = false;
  bool fenced_ = false;
  bool lost_ = false;
};

} // namespace matchcloud::app
