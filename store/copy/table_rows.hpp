#pragma once

#include "store/copy/copied_tables.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/sql/binary_form.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// Makes PostgreSQL's planner scan indexes, which are in the order of `read_table`: without
/// statistics it would prefer to sort the table again for each page. Also lets a transaction wait
/// for another store for as long as that takes. Applies to the whole connection.
void read_along_keys(sql_connection& on);

/// Reads all rows of a table in the order of their keys, some thousand at a time, and passes each
/// to `take`, if that is not empty; `take` must not use the connection. `doing`, such as "copied",
/// names the step for the watch. Throws `cancelled` if the watch stops it, or like the connection.
table_facts read_table(sql_connection& on, const copied_table& table, const copy_watch& watch,
                       std::string_view doing, const std::function<void(sql_row&)>& take = {});

/// Writes rows of a table exactly as another store has them. Call it in a write transaction. One
/// thread.
class row_writer {
public:
  row_writer(sql_connection& into, const copied_table& table);

  void put(sql_row& row);
  /// Writes collected rows. Call it before the transaction ends.
  void flush();

private:
  void begin_arrays();

  sql_connection* into_;
  const copied_table* table_;
  std::vector<sql_value> values_;
  /// For PostgreSQL, an array for each column, so that one statement inserts many rows.
  std::vector<sql_array> arrays_;
  std::size_t bytes_ = 0;
};

/// The size of the rows that are collected to be written together.
inline constexpr std::size_t collected_rows_limit_bytes = 2UL * 1024 * 1024;

} // namespace matchcloud::store
