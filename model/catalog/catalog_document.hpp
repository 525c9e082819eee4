#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::model {

/// A catalog to import: what docs/data.md's import format says, checked. Upserts by id: what it
/// does not name stays. An element that it names is replaced whole: a namespace without `domains`
/// has none afterwards.
struct catalog_document {
  std::vector<region> regions;
  std::vector<std::string> tiers;
  std::vector<game> games;
  std::vector<game_namespace> namespaces;

  friend bool operator==(const catalog_document&, const catalog_document&) = default;
};

/// Bounds of a catalog document.
inline constexpr std::size_t catalog_document_limit_bytes = 64 * 1024 * 1024;
inline constexpr std::size_t catalog_document_depth_limit = 64;
/// Values in the document: parsed, each takes 16 bytes however short it was. A document of the size
/// limit that is a catalog has about 2.5 million.
inline constexpr std::size_t catalog_document_value_limit = 4 * 1024 * 1024;

/// `current` with the upserts of `document`; the revision is one higher if anything changed. The
/// result is in order even where the document is not. Fails with `import_invalid` and all findings
/// where a namespace names a region or a game that neither has, would move to another game, or
/// registers a domain that is another's. O(n log n).
base::expected<catalog> merge(const catalog& current, const catalog_document& document);

/// The demo data: the same document every time.
const catalog_document& demo_catalog();

} // namespace matchcloud::model
