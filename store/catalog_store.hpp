#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"

#include <cstddef>
#include <cstdint>

namespace matchcloud::store {

/// The result of a catalog import: how many elements the document named, and whether they were new.
struct import_summary {
  std::size_t regions = 0;
  std::size_t tiers = 0;
  std::size_t games = 0;
  std::size_t namespaces = 0;
  /// How many of the named elements were absent (or removed) before.
  std::size_t added = 0;
  /// False if the store already had everything, in which case the revision did not move.
  bool changed = false;
};

/// The role of regions, tiers, games and namespaces. See `session` for what the calls of all roles
/// have in common.
class catalog_store {
public:
  virtual ~catalog_store() = default;

  /// The catalog's revision, which moves with each transaction that changes the catalog; 0 for a
  /// new store.
  virtual base::expected<std::int64_t> revision() = 0;
  /// Loads the whole catalog in one transaction.
  virtual base::expected<model::catalog> load() = 0;
  /// Upserts elements by id, in one transaction; removed elements that the document names return.
  /// Fails with `import_invalid` if `merge` fails or if a removed namespace would return under
  /// another game.
  virtual base::expected<import_summary> import_document(const model::catalog_document& doc) = 0;
  /// Hides an element from `load`, in one transaction; history keeps it. A removed namespace gives
  /// up its domains. Fails like `without`.
  virtual base::expected<void> remove(const model::element_key& key) = 0;
  /// Whether the erasure of a game has begun, however long ago.
  virtual base::expected<bool> is_erased(const model::uuid& game_id) = 0;
};

} // namespace matchcloud::store
