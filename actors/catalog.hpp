#pragma once

#include "actors/protocol.hpp"
#include "actors/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::actors {

/// How a catalog actor reaches the store.
struct catalog_settings {
  std::shared_ptr<store::database> database;
  /// Must outlive the actor.
  base::blocking_pool* pool = nullptr;
  std::chrono::milliseconds poll_interval{250};
};

/// The catalog in force, and who has been told of what. It reads no store and sends nothing, so
/// that tests call it directly.
class catalog_state {
public:
  /// `snapshot` is in force until a poll brings another.
  explicit catalog_state(model::catalog_snapshot snapshot) : snapshot_{std::move(snapshot)} {}

  const model::catalog_snapshot& snapshot() const noexcept { return snapshot_; }
  /// Of the avatars, what the shards were told of; below 0: nothing yet.
  std::int64_t avatars_revision() const noexcept { return avatars_revision_; }
  const subscribers& listeners() const noexcept { return subscribers_; }

  /// From now on `listeners` are told. Returns the avatar shards among them that are new.
  std::vector<caf::actor> subscribe(const subscribers& listeners);

  enum class outcome : std::uint8_t { unchanged, changed, failed, failed_again };
  /// Puts in force what a poll found. `changed` is about the catalog; whether lists of avatars
  /// moved, `found` itself says.
  outcome apply(const store_polled& found);

private:
  model::catalog_snapshot snapshot_;
  /// Kept until the next change, so that a large catalog is freed here and not on an event loop.
  model::catalog_snapshot previous_;
  subscribers subscribers_;
  std::int64_t avatars_revision_ = -1;
  bool failing_ = false;
};

/// Owns the catalog: polls the store for a new revision, loads what moved as an immutable snapshot
/// and sends it to its subscribers; tells the avatar shards which lists moved. One, on the pool;
/// its blocking work runs on the blocking pool, one task at a time.
class catalog final : public supervised_actor {
public:
  /// `snapshot` is in force until the store says otherwise.
  catalog(caf::actor_config& cfg, catalog_settings settings, model::catalog_snapshot snapshot);

  const char* name() const override { return "catalog"; }

protected:
  caf::behavior make_behavior() override;

private:
  void poll();
  void on_polled(const store_polled& found);

  catalog_settings settings_;
  catalog_state state_;
  /// Taken when it is first needed, and anew after a failure. Its tasks have it, one at a time.
  std::shared_ptr<std::optional<store::lease<store::change_feed>>> feed_ =
      std::make_shared<std::optional<store::lease<store::change_feed>>>();
};

} // namespace matchcloud::actors
