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
  /// Whether PostgreSQL generates it from other columns.
  bool is_generated = false;
};

/// A table that both engines have, with the same meaning of its columns.
struct copied_table {
  std::string_view name;
  /// How many of the first columns identify rows and order them. Both engines have an index of
  /// these; in small tables PostgreSQL sorts instead, if they are text that is not COLLATE "C".
  std::size_t key_size;
  std::span<const copied_column> columns;
  /// Whether the engine itself numbers new rows, in the first column.
  bool is_numbered = false;
  /// A condition for the rows that are part of the store's content; empty: all are.
  std::string_view condition = {};
};

/// The revisions of subjects that have one each. They are written last, because they mark the
/// progress of a copy. Engines keep other rows in this table for their locks.
const copied_table& revisions_table() noexcept;
/// All other tables, each after those that it refers to.
std::span<const copied_table> copied_tables() noexcept;
/// The copied table with the audit log.
const copied_table& audit_log_table() noexcept;
/// The copied table that already has rows in a new store.
const copied_table& tiers_table() noexcept;

} // namespace matchcloud::store
