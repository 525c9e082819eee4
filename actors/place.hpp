#pragma once

#include "actors/owner.hpp"
#include "model/catalog/catalog.hpp"
#include "store/geoip/geoip.hpp"

#include <caf/actor.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace matchcloud::actors {

/// What is in force, so that an actor has it before its first message.
struct standing {
  model::catalog_snapshot catalog;
  /// Null: there are no GeoIP files.
  std::shared_ptr<const store::geoip> geoip = {};
};

/// Where an actor stands and how to make it. A place outlives the actors that fill it.
struct place {
  /// For logs, metrics and operators: `validator/0`.
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

} // namespace matchcloud::actors
