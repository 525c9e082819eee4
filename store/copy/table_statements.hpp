#pragma once

#include "store/copy/copied_tables.hpp"
#include "store/sql/sql.hpp"

#include <string>

namespace matchcloud::store {

/// How many rows are read at once.
inline constexpr std::size_t copy_page_rows = 5'000;

/// The SQL of a table in one engine. Lives as long as the program, as statements must.
struct table_statements {
  std::string first_page;
  /// Its parameters are the key of the last row of the page before.
  std::string next_page;
  /// SQLite: a row, whose columns are the parameters. PostgreSQL: many rows; each parameter is the
  /// array of a column, as text.
  std::string insert;
  /// Sets what numbers new rows beyond all numbers that there are. Empty: nothing to be done.
  std::string renumber;
  /// Tells the planner what is in the table now. Empty: nothing to be done.
  std::string analyze;

  std::string reading;
  std::string writing;
};

const table_statements& statements_of(const copied_table& table, sql_dialect dialect);

} // namespace matchcloud::store
