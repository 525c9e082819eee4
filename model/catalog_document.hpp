#pragma once

#include "base/expected.hpp"
#include "model/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// A catalog to import: what DESIGN.md's import format says, checked. Upserts by id: what it does
/// not name stays.
struct catalog_document {
  std::vector<region> regions;
  std::vector<std::string> tiers;
  std::vector<game> games;
  std::vector<game_namespace> namespaces;
};

/// Reads and checks a catalog document (JSON, UTF-8). Fails with `import_invalid`; the detail has a
/// line per problem (at most 100), each with the place and what is allowed.
base::expected<catalog_document> parse_catalog_document(std::string_view text);

/// The demo data: the same document every time.
const catalog_document& demo_catalog();

} // namespace matchcloud::model
