#pragma once

#include <caf/actor_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>

#include <string_view>

namespace matchcloud::actors {

/// An actor that lives on one execution unit (an event loop) for good: its initialisation, its
/// handlers and the replies it gets all run there, whoever sends to it. Spawn it with an
/// `actor_config` whose host is that unit.
class resident : public caf::event_based_actor {
public:
  explicit resident(caf::actor_config& cfg) : caf::event_based_actor{cfg}, home_{cfg.host} {}

  /// Marks it for the unit: only `io_actor`s are run by an event loop, the rest goes to the pool.
  subtype_t subtype() const override { return io_actor; }

  using caf::event_based_actor::enqueue;
  void enqueue(caf::mailbox_element_ptr message, caf::execution_unit*) override {
    caf::event_based_actor::enqueue(std::move(message), home_);
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

/// Replaces CAF's defaults, which print or die: an unexpected message is dropped, a stray error or
/// down message is ignored, an exception in a handler is logged with `name` and ends the actor (the
/// supervisor restarts it). Call first in `make_behavior`.
void set_strict_handlers(caf::scheduled_actor& self, std::string_view name);

} // namespace matchcloud::actors
