#pragma once

#include "actors/protocol.hpp"
#include "actors/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "store/database.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace matchcloud::actors {

/// How a catalog actor reaches the store.
struct catalog_settings {
  std::shared_ptr<store::database> database;
  /// Must outlive the actor.
  base::blocking_pool* pool = nullptr;
  std::chrono::milliseconds poll_interval{250};
};

/// Owns the catalog: polls the store for a new revision, loads what moved as an immutable snapshot
/// and sends it to its audience; tells the avatar shards which lists moved. One, on the pool; its
/// blocking work runs on the blocking pool, one job at a time.
class catalog final : public supervised_actor {
public:
  /// `snapshot` is in force until the store says otherwise.
  catalog(caf::actor_config& cfg, catalog_settings settings, model::catalog_snapshot snapshot);

  const char* name() const override { return "catalog"; }

protected:
  caf::behavior make_behavior() override;

private:
  void poll();
  /// Tells those of the shards that are new to forget what they loaded before.
  void greet(const std::vector<caf::actor>& shards);
  void take(const store_polled& found);

  catalog_settings settings_;
  model::catalog_snapshot snapshot_;
  /// Kept until the next change, so that a large catalog is freed here and not on an event loop.
  model::catalog_snapshot previous_;
  audience audience_;
  /// What the avatar shards were told of; below 0: nothing yet.
  std::int64_t avatars_revision_ = -1;
  /// Taken when it is first needed, and anew after a failure. Its jobs have it, one at a time.
  std::shared_ptr<std::optional<store::lease<store::change_feed>>> feed_ =
      std::make_shared<std::optional<store::lease<store::change_feed>>>();
  bool failing_ = false;
};

} // namespace matchcloud::actors
