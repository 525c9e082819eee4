#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::model {

/// A catalog to import, in the format of docs/data.md, checked. It upserts by id: elements that it
/// does not name are kept, and an element that it names is replaced as a whole, so a namespace
/// without `domains` ends up with none.
struct catalog_document {
  std::vector<region> regions;
  std::vector<std::string> tiers;
  std::vector<game> games;
  std::vector<game_namespace> namespaces;

  friend bool operator==(const catalog_document&, const catalog_document&) = default;
};

/// Limits of a catalog document.
inline constexpr std::size_t catalog_document_limit_bytes = 64 * 1024 * 1024;
inline constexpr std::size_t catalog_document_depth_limit = 64;
/// The most values in the document: parsed, each takes 16 bytes, however short its text. A valid
/// catalog of the largest size has about 2.5 million.
inline constexpr std::size_t catalog_document_value_limit = 4 * 1024 * 1024;

/// The most regions of a catalog: each listing has all of them. A catalog that has more can be
/// changed but not grow.
inline constexpr std::size_t catalog_region_limit = 1'000;

/// Applies the upserts of `document` to `current`; the revision is one higher if anything changed.
/// The result is sorted even if the document is not. Fails with `import_invalid` and all findings
/// if a namespace names a region or a game that is in neither, would move to another game, or
/// registers a domain of another namespace; or if there are more than
/// `catalog_region_limit` regions. O(n log n).
base::expected<catalog> merge(const catalog& current, const catalog_document& document);

/// The catalog of the demo data; the same document every time.
const catalog_document& demo_catalog();

} // namespace matchcloud::model
