#pragma once

#include "store/copy/copy_watch.hpp"
#include "store/object_name.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// A finding of an examination of a store or a backup.
struct finding {
  enum class kind : std::uint8_t {
    missing,
    damaged,
    /// Rows contradict themselves or refer to nothing: a backup has them as the store has.
    contradictory,
    /// It exists, but nothing refers to it. Harmless.
    unreferenced,
  };

  kind is = kind::damaged;
  /// Such as `media/ab/..png`, or `lobbies.kind`.
  std::string what;
  /// In words: what was found, and what was expected.
  std::string detail;
};

using findings = std::vector<finding>;

/// The result of reading all rows of a store.
struct store_rows {
  std::vector<table_facts> tables;
  /// The images that avatars refer to.
  std::vector<image_key> images;
  /// Rows that refer to missing rows or contradict themselves: one finding for each kind of
  /// mistake.
  findings found;
};

/// Reads all rows of all tables that stores have in common, and checks that they are consistent
/// with themselves and with the rows that they refer to. Images of a game that is being erased are
/// left out: they are removed before its rows. Call it in a read transaction, to read one snapshot.
/// Takes memory for the ids of catalog and attributes, and for each image. If `keeps_on`, a table
/// that cannot be read completely is a finding; otherwise it is a failure. Throws `cancelled` if
/// the watch stops it, or like the connection.
store_rows read_rows(sql_connection& on, const copy_watch& watch, bool keeps_on);

} // namespace matchcloud::store
