#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"
#include "store/sqlite/sqlite.hpp"

namespace matchcloud::store {

/// Hides an element; its row stays for what history refers to. A namespace gives up its domains and
/// regions. Belongs in the write transaction that found it removable.
base::expected<void> hide_element(connection& on, const model::element_key& key);

/// Fails with `import_invalid` where `document` names a removed namespace under another game than
/// it had: its history is that game's. `merge` cannot tell, for it sees what is not removed.
base::expected<void> check_returning(connection& on, const model::catalog_document& document);

} // namespace matchcloud::store
