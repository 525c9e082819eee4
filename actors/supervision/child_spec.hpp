#pragma once

#include "base/owner.hpp"
#include "model/access/access_token.hpp"
#include "model/catalog/catalog.hpp"
#include "model/latency/predictor.hpp"
#include "store/geoip/geoip.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// The current state that an actor is started with, so that it has it before its first message.
struct initial_state {
  model::catalog_snapshot catalog;
  /// Null: there are no GeoIP files.
  std::shared_ptr<const store::geoip> geoip = {};
  model::token_snapshot tokens = {};
  /// Null: nothing is known about latencies.
  std::shared_ptr<const model::latency_snapshot> latencies = {};
};

/// Describes a child of the supervisor: its name and how to start it. It outlives the actors that
/// are started from it.
struct child_spec {
  /// The name in logs, metrics and reports, such as `validator/0`.
  std::string name;
  /// A worker answers no requests.
  enum class kind : std::uint8_t { worker, owner, front } what = kind::owner;
  /// For an owner: which owner it is.
  base::owner role = base::owner::none;
  /// For an owner or front that serves one event loop: that loop. `every_loop` if it serves all.
  std::size_t loop = every_loop;
  /// Starts the actor.
  std::function<caf::actor(const initial_state&)> start;
  /// For a worker: the sets of `base::news` that it receives and publishes.
  std::uint8_t worker_hears = 0;
  std::uint8_t worker_tells = 0;

  static constexpr std::size_t every_loop = SIZE_MAX;

  /// The set of `base::news` that the actor receives.
  std::uint8_t hears() const noexcept {
    if (what == kind::front) return base::news::catalog + base::news::tokens;
    return what == kind::owner ? row_of(role).hears : worker_hears;
  }
  /// The set of `base::news` that the actor publishes.
  std::uint8_t tells() const noexcept {
    return what == kind::owner ? row_of(role).tells : worker_tells;
  }
};

} // namespace matchcloud::actors
