#pragma once

#include "actors/child_table.hpp"
#include "actors/supervisor.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace matchcloud::app {

/// Keeps a supervisor alive, which keeps everybody else alive.
class supervision {
public:
  /// `system` outlives this; `on_storm` tells, on any thread, whether a restart storm rages.
  supervision(caf::actor_system& system, std::function<void(bool storms)> on_storm)
      : system_{&system}, on_storm_{std::move(on_storm)} {}

  /// Starts the children. Once.
  void start(std::shared_ptr<actors::child_table> children);
  /// From now on no further supervisor.
  void stop_replacing();
  /// Ends all actors; returns when none is left. After `start`, or instead of it.
  void end();

private:
  actors::supervisor_settings settings();
  /// Spawns a supervisor, and the next should it die.
  void spawn();

  caf::actor_system* system_;
  std::function<void(bool)> on_storm_;
  std::shared_ptr<actors::child_table> children_;
  std::mutex mutex_;
  caf::actor supervisor_;
  std::atomic<bool> ending_{false};
};

} // namespace matchcloud::app
