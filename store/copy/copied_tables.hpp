#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace matchcloud::store {

enum class column_type : std::uint8_t { integer, real, text, blob, uuid };

struct copied_column {
  std::string_view name;
  column_type type;
  /// Whether PostgreSQL makes it of other columns itself.
  bool is_generated = false;
};

/// A table that both engines have, with the same meaning of its columns.
struct copied_table {
  std::string_view name;
  /// How many of the columns, the first, tell rows apart and order them. Both engines have an index
  /// of these; PostgreSQL sorts where they are text that is not COLLATE "C", in small tables.
  std::size_t key_size;
  std::span<const copied_column> columns;
  /// Whether the engine numbers new rows itself, by the first column.
  bool is_numbered = false;
  /// A condition for the rows that are part of the store's content; empty: all are.
  std::string_view condition = {};
};

/// What stands for the progress of a copy, and so is written last: the revisions of subjects that
/// have one each. Engines keep others in this table for their locks.
const copied_table& revisions_table() noexcept;
/// All other tables, each after those that it refers to.
std::span<const copied_table> copied_tables() noexcept;
/// The one of these that has the audit log.
const copied_table& audit_log_table() noexcept;
/// The one whose rows a new store has already.
const copied_table& tiers_table() noexcept;

} // namespace matchcloud::store
