#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/catalog/catalog_element.hpp"
#include "store/sql/sql.hpp"

namespace matchcloud::store {

/// Hides an element; its row stays because history refers to it. A namespace gives up its domains
/// and regions. Call this in the write transaction that found the element removable.
base::expected<void> hide_element(sql_connection& on, const model::element_key& key);

/// Fails with `import_invalid` if `document` names a removed namespace under a game other than its
/// former one, to which its history belongs. `merge` cannot detect this, because it does not see
/// removed elements.
base::expected<void> check_returning(sql_connection& on, const model::catalog_document& document);

} // namespace matchcloud::store
