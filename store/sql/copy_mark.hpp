#pragma once

#include "store/sql/sql.hpp"

#include <string>

namespace matchcloud::store {

// While another store is copied into a store, the target has a mark, from before the first row
// until both are equal. What a killed copy left is never used: it may have lobbies without their
// games, or lack some tokens.

/// The name of the mark's row in the table `revisions`, which every schema has.
inline constexpr std::string_view copy_mark = "store.copy";

/// Call these in a write transaction.
void set_copy_mark(sql_connection& on);
void remove_copy_mark(sql_connection& on);

bool has_copy_mark(sql_connection& on);

/// Throws `import_invalid` if the store, which messages call `name`, has the mark.
void check_is_whole(sql_connection& on, const std::string& name);

} // namespace matchcloud::store
