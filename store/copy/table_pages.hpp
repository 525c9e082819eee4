#pragma once

#include "base/crypto/sha256.hpp"
#include "store/copy/copied_tables.hpp"
#include "store/copy/table_statements.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace matchcloud::store {

/// Makes PostgreSQL's planner scan indexes, which are in the order of `table_pages`: without
/// statistics it would prefer to sort the table again for each page. Applies to the whole
/// connection.
void read_along_keys(sql_connection& on);

/// Reads the rows of a table in the order of their keys, some thousand at a time. One thread.
class table_pages {
public:
  /// Skips rows whose first column, if it is a number, is above `last_number`.
  table_pages(sql_connection& on, const copied_table& table,
              std::int64_t last_number = std::numeric_limits<std::int64_t>::max())
      : on_{&on}, table_{&table}, last_number_{last_number} {}

  /// Continues after the last row that `other`, of the same table in any store, returned.
  void go_on_after(const table_pages& other) { key_ = other.key_; }

  /// Calls `take` for each of the next rows, at most `limit`, until it returns false. Returns their
  /// number, which is below `limit` only at the end of the table. `limit` is at most
  /// `copy_page_rows`. Throws like the connection.
  std::size_t next(const sql_connection::take_row& take, std::size_t limit = copy_page_rows);

private:
  using key_part = std::variant<std::int64_t, std::string, model::uuid>;

  void keep_key(sql_row& row);

  sql_connection* on_;
  const copied_table* table_;
  std::int64_t last_number_;
  /// The key of the last row returned; empty before the first.
  std::vector<key_part> key_;
};

/// Counts rows of a table and computes the SHA-256 of their values, both independent of the engine.
/// One thread.
class row_digest {
public:
  explicit row_digest(const copied_table& of) : table_{&of} {}

  void add(sql_row& row);
  std::uint64_t rows() const noexcept { return rows_; }
  base::sha256_digest digest() const noexcept { return hash_.digest(); }

private:
  const copied_table* table_;
  std::uint64_t rows_ = 0;
  base::sha256_stream hash_;
  std::string bytes_;
};

} // namespace matchcloud::store
