#pragma once

#include "store/copy/copied_tables.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace matchcloud::store {

/// Writes rows of a table exactly as another store has them. Call it in a write transaction. One
/// thread.
class row_writer {
public:
  row_writer(sql_connection& into, const copied_table& table);

  void put(sql_row& row);
  /// Writes collected rows. Call it before the transaction ends.
  void flush();

private:
  void write(sql_row& row);
  void collect(sql_row& row);

  sql_connection* into_;
  const copied_table* table_;
  std::vector<sql_value> values_;
  /// For PostgreSQL, an array as text for each column, so that one statement inserts many rows.
  std::vector<std::string> arrays_;
  std::size_t bytes_ = 0;
};

/// The size of the rows that are collected to be written together.
inline constexpr std::size_t collected_rows_limit_bytes = 2UL * 1024 * 1024;

} // namespace matchcloud::store
