#pragma once

#include "store/backup/finding.hpp"
#include "store/copy/store_copy.hpp"
#include "store/image_key.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::store {

/// The rows of a table. The digest does not depend on the engine.
struct table_facts {
  std::string name;
  std::uint64_t rows = 0;
  /// 64 lower-case hexadecimal digits.
  std::string sha256;

  friend bool operator==(const table_facts&, const table_facts&) = default;
};

/// The result of reading all rows of a store.
struct store_rows {
  std::vector<table_facts> tables;
  /// The images that avatars refer to.
  std::vector<image_key> images;
  /// Rows that refer to missing rows or contradict themselves: one finding for each kind of
  /// mistake.
  findings found;

  /// The rows of a table; 0 if there is no such table.
  std::uint64_t rows_of(std::string_view table) const noexcept;
};

/// Reads all rows of all tables that stores have in common. Call it in a read transaction, to read
/// one snapshot. Takes memory for the ids of catalog and attributes, and for each image. If
/// `keeps_on`, a table that cannot be read completely is a finding; otherwise it is a failure.
/// Throws `cancelled` if the watch stops it, or like the connection.
store_rows read_rows(sql_connection& on, const copy_watch& watch, bool keeps_on);

} // namespace matchcloud::store
