#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"

#include <cstddef>
#include <cstdint>

namespace matchcloud::store {

/// What a catalog import did: how many elements the document named, and whether that was news.
struct import_summary {
  std::size_t regions = 0;
  std::size_t tiers = 0;
  std::size_t games = 0;
  std::size_t namespaces = 0;
  /// Of these, how many were not there (or removed) before.
  std::size_t added = 0;
  /// False where everything was there already: the revision stays.
  bool changed = false;
};

/// The role of regions, tiers, games and namespaces. What any role's calls have in common stands at
/// `session`.
class catalog_store {
public:
  virtual ~catalog_store() = default;

  /// Moves with each transaction that changes the catalog, 0 for a new store.
  virtual base::expected<std::int64_t> revision() = 0;
  /// The whole catalog, of one transaction.
  virtual base::expected<model::catalog> load() = 0;
  /// Upserts by id, in one transaction; what was removed comes back. Fails with `import_invalid`
  /// where `merge` does and where a removed namespace would come back to another game.
  virtual base::expected<import_summary> import_document(const model::catalog_document& doc) = 0;
  /// Hides an element from `load`, in one transaction; history keeps it. A namespace gives its
  /// domains up. Fails like `without`.
  virtual base::expected<void> remove(const model::element_key& key) = 0;
};

} // namespace matchcloud::store
