#pragma once

#include "store/database.hpp"
#include "store/store_examination.hpp"
#include "store/store_settings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace matchcloud::store {

/// Whether a data directory has a store. Fails with `store_failed` if the directory cannot be
/// accessed.
base::expected<bool> find_store(const std::string& data_dir);
/// The same, but false if the directory cannot be accessed.
bool has_store(const std::string& data_dir);

/// The dangers of a data directory with a store, as sentences for the log: other users can write to
/// it, or its database is elsewhere.
std::vector<std::string> hazards_of(const std::string& data_dir);

/// Examines the store of a data directory without changing anything, also while processes use it.
/// Fails as `open_sqlite` would.
base::expected<store_examination> examine_sqlite(const std::string& data_dir);

/// Opens the store of a data directory, creating and migrating it if necessary. Sessions that are
/// opened later use the same file and never create one: they fail with `store_failed` while its
/// name refers to another file or to none. So a store that vanished is not replaced by an empty
/// one. Fails with `store_newer`, `store_full` or `store_failed`. A store with a newer schema is
/// used as it is, or left untouched if it excludes programs as old as this one.
base::expected<std::shared_ptr<database>> open_sqlite(const std::string& data_dir,
                                                      const store_settings& settings = {});

} // namespace matchcloud::store
