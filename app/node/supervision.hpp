#pragma once

#include "actors/supervision/supervisor.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace matchcloud::app {

/// Keeps a supervisor alive, which keeps all other actors alive.
class supervision {
public:
  /// `system` must outlive this; `on_storm` reports, on any thread, whether a restart storm is
  /// going on.
  supervision(caf::actor_system& system, std::function<void(bool storms)> on_storm);

  /// Starts the children. Call once.
  void start(std::shared_ptr<actors::child_table> children);
  /// Stops all actors and returns when none is left. Call after `start`, or instead of it, when
  /// faults can no longer be injected.
  void end();

private:
  /// Spawns a supervisor, and a new one whenever it dies.
  void spawn();

  caf::actor_system* system_;
  actors::supervisor_settings settings_;
  std::mutex mutex_;
  caf::actor supervisor_;
  std::atomic<bool> ending_{false};
};

} // namespace matchcloud::app
