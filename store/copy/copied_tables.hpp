#pragma once

#include "store/copy/copy_watch.hpp"
#include "store/sql/binary_form.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

struct copied_column {
  std::string_view name;
  sql_type type;
  /// The table whose first column has each value of this one. Empty: it refers to none.
  std::string_view into = {};
  /// Whether PostgreSQL generates it from other columns.
  bool is_generated = false;
};

/// A table that both engines have, with the same meaning of its columns.
struct copied_table {
  std::string_view name;
  /// How many of the first columns identify rows and order them. Both engines have an index of
  /// these; in small tables PostgreSQL sorts instead, if they are text that is not COLLATE "C".
  std::size_t key_size;
  std::vector<copied_column> columns;
  /// Whether the engine itself numbers new rows, in the first column.
  bool is_numbered = false;
  /// A condition for the rows that are part of the store's content.
  std::string_view condition = "1 = 1";
  /// A condition for those of them that no new store has.
  std::string_view is_used = "1 = 1";
};

/// All tables of a store's content, each after those that it refers to. The last one has the
/// revisions of subjects that have one each; engines keep other rows in it for their locks.
std::span<const copied_table> copied_tables();

/// How many rows are read at once.
inline constexpr std::size_t copy_page_rows = 5'000;

/// The SQL of a table in one engine. Lives as long as the program, as statements must.
struct table_statements {
  std::string first_page;
  /// Its parameters are the key of the last row of the page before.
  std::string next_page;
  /// Has a row if the table has what no new store has.
  std::string is_used;
  /// Removes all rows.
  std::string clear;
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
/// Empties all tables but that of revisions in PostgreSQL.
const std::string& truncation_of_all();

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
