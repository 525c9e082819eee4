#pragma once

#include "base/expected.hpp"
#include "store/backup/row_checks.hpp"
#include "store/backup/whole_backup.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/engines/store_place.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::store {

/// What was checked of a store or a backup, and what is wrong with it.
struct verification {
  /// The store's name, without a password, or the backup's folder.
  std::string name;
  std::vector<table_facts> tables = {};
  std::uint64_t images = 0;
  /// Nothing for a backup, which has none.
  std::optional<std::uint64_t> exports = {};
  findings found = {};
  /// What could not be checked, and why; empty if everything was.
  std::string left_out = {};

  /// How many of the findings are missing or damaged.
  std::size_t faults() const noexcept;
};

/// Reads all of a store, which may be in use: the rows of one snapshot, and the images and exports
/// that they refer to. An object that was removed together with its rows is not missing. Takes
/// memory for the name of each image. Fails like `open_existing_store`, or with `cancelled`.
base::expected<verification> verify_store(const store_place& place, const copy_watch& watch);

/// Reads all of a backup and compares it with its manifest, and its schema with that of a new
/// store. Fails like `open_backup`, or with `cancelled`.
base::expected<verification> verify_backup(const std::string& folder, const copy_watch& watch);

/// Compares the schema of a database with that of a new store of a version. A trigger, for example,
/// would change what a restored service does. Throws like the connection.
findings compare_schema(sqlite_connection& in, std::int64_t version);

/// The same as `verify_backup` for a backup that is open; throws.
verification check_backup(const whole_backup& of, const copy_watch& watch);

} // namespace matchcloud::store
