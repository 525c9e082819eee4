#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"

#include <string_view>

namespace matchcloud::model {

/// Reads and checks a catalog document (JSON, UTF-8). Fails with `import_invalid`; the detail has a
/// line per finding (at most 100), each with the place and what is allowed. Does not check that the
/// regions of a namespace exist, because they may be in the store; `merge` does.
base::expected<catalog_document> parse_catalog_document(std::string_view text);

/// Reads the JSON of the element `key`, with the checks and messages of a catalog document. The
/// format is that of the import, except that a namespace carries its `game_id` and a game has no
/// namespaces; the id may be omitted. For a tier, the text may be empty. Fails with
/// `import_invalid`.
base::expected<catalog_element> parse_element(const element_key& key, std::string_view text);

} // namespace matchcloud::model
