#pragma once

#include "actors/protocol.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"

#include <caf/event_based_actor.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::actors {

/// What is in force, so that an actor has it before its first message.
struct standing {
  model::catalog_snapshot catalog;
  /// Null: there are no GeoIP files.
  std::shared_ptr<const store::geoip> geoip = {};
};

/// Where an actor stands and how to make it. A place outlives the actors that fill it.
struct place {
  /// For logs and metrics: `validator/0`.
  std::string name;
  enum class kind : std::uint8_t { catalog, geoip_watch, owner, front } what = kind::owner;
  /// Of an owner: its part.
  owner role = owner::none;
  /// Of an owner or front that serves one event loop: which; `every_loop` where it serves all.
  std::size_t loop = every_loop;
  /// Makes the actor with what is in force.
  std::function<caf::actor(const standing&)> make;

  static constexpr std::size_t every_loop = SIZE_MAX;
};

/// How long a place waits before its next actor: nothing, until more than `intensity` restarts fell
/// into `window`; then `backoff`.
class restart_policy {
public:
  static constexpr std::size_t intensity = 5;
  static constexpr std::chrono::seconds window{10};
  static constexpr std::chrono::milliseconds backoff{1'000};

  /// Counts a restart at `now`.
  std::chrono::milliseconds next_delay(base::steady_time now);

private:
  std::deque<base::steady_time> recent_;
};

/// Knows who is alive and restarts what dies, one for one; tells the fronts the owners' addresses
/// and the catalog and the GeoIP watch their audiences. One, on the pool.
class supervisor final : public caf::event_based_actor {
public:
  /// `clock` and `restarts` (counts restarts) must outlive the actor.
  supervisor(caf::actor_config& cfg, std::vector<place> places, standing in_force,
             const base::clock& clock, base::counter& restarts);

  const char* name() const override { return "supervisor"; }

protected:
  caf::behavior make_behavior() override;

private:
  struct filled_place {
    place where;
    caf::actor occupant;
    restart_policy policy;
  };

  void fill(std::size_t index);
  void on_down(const caf::down_msg& down);
  void announce();
  owners owners_for(std::size_t loop) const;
  void stop();

  std::vector<filled_place> seats_;
  standing in_force_;
  const base::clock* clock_;
  base::counter* restarts_;
  bool stopping_ = false;
};

} // namespace matchcloud::actors
