#include "app/node/loop_pulse.hpp"

namespace matchcloud::app {

bool loop_pulse::beat() {
  if (left_->load() > 0) return false;
  left_->store(loops_.size());
  for (auto* each : loops_)
    each->post([left = left_] { left->fetch_sub(1); });
  return true;
}

} // namespace matchcloud::app
