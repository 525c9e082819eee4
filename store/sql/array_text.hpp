#pragma once

#include "store/sql/sql.hpp"

#include <string>

namespace matchcloud::store {

/// Appends an element to the text of a PostgreSQL array (its documentation, section 8.15.6), or
/// begins an array if `to` is empty. The caller ends the array with a brace.
void append_element(std::string& to, const sql_value& value);

} // namespace matchcloud::store
