#pragma once

#include "actors/request/message.hpp"
#include "base/error.hpp"
#include "model/catalog/catalog.hpp"
#include "store/change_feed.hpp"

#include <memory>

namespace matchcloud::actors {

/// catalog -> catalog, at every poll interval.
struct poll_store {};

/// blocking pool -> catalog: the result of a poll. A null `snapshot`: the catalog did not move.
struct store_polled {
  model::catalog_snapshot snapshot;
  /// Games whose avatars moved; null if none did.
  std::shared_ptr<const store::moved_games> avatars;
  /// Set if the store could not be read; the old snapshot stays in force.
  std::shared_ptr<const base::error> failure;
};

} // namespace matchcloud::actors
