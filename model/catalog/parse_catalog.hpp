#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"

#include <string_view>

namespace matchcloud::model {

/// Reads and checks a catalog document (JSON, UTF-8). Fails with `import_invalid`; the detail has a
/// line per finding (at most 100), each with the place and what is allowed. Whether the regions of
/// a namespace exist is for `merge`: they may be in the store.
base::expected<catalog_document> parse_catalog_document(std::string_view text);

/// Reads the JSON of the element `key`, with the checks of a catalog document and its messages. The
/// shape is that of the import format, but that a namespace carries its `game_id` and a game no
/// namespaces; the id may be absent. No text at all is allowed for a tier. `import_invalid`.
base::expected<catalog_element> parse_element(const element_key& key, std::string_view text);

} // namespace matchcloud::model
