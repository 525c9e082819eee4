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
  /// Sets the sequence that numbers new rows beyond all existing numbers. Empty: not needed.
  std::string renumber;
  /// Updates the planner's statistics of the table. Empty: not needed.
  std::string analyze;

  std::string reading;
  std::string writing;
};

const table_statements& statements_of(const copied_table& table, sql_dialect dialect);

} // namespace matchcloud::store
