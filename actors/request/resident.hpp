#pragma once

#include "actors/request/supervised_actor.hpp"

#include <caf/actor_config.hpp>

namespace matchcloud::actors {

/// An actor that lives on one execution unit (an event loop) for good: its initialization, its
/// handlers and the replies to it all run there, whichever actor sends. Spawn it with an
/// `actor_config` whose host is that unit.
class resident : public supervised_actor {
public:
  resident(caf::actor_config& cfg, gate_points at) : supervised_actor{cfg, at}, home_{cfg.host} {}

  /// Marks the actor for its unit: an event loop runs only `io_actor`s and leaves others to the
  /// pool.
  subtype_t subtype() const override { return io_actor; }

  using supervised_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr message, caf::execution_unit*) override {
    supervised_actor::enqueue(std::move(message), home_);
  }

private:
  caf::execution_unit* home_;
};

/// Spawns a resident on `home`. Any thread.
template <class Actor, class... Args>
caf::actor spawn_resident(caf::actor_system& system, caf::execution_unit& home, Args&&... args) {
  caf::actor_config cfg{&home};
  return system.spawn_class<Actor, caf::no_spawn_options>(cfg, std::forward<Args>(args)...);
}

} // namespace matchcloud::actors
