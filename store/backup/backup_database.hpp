#pragma once

#include "base/expected.hpp"
#include "store/copy/store_copy.hpp"
#include "store/engines/store_place.hpp"
#include "store/sqlite/sqlite.hpp"

#include <string>

namespace matchcloud::store {

/// Makes the database of a backup in `folder`: a SQLite database with the newest schema and all
/// rows of a store, of one snapshot that is taken after the call. Of a store in a data directory,
/// which need not have the newest schema and is not migrated, its pages; of one in PostgreSQL a
/// copy. Rows about objects of a bucket and about running processes are left out. Nobody who writes
/// to the store waits for this. Fails with `store_newer`, with `import_invalid` where the store is
/// an unfinished copy, with `cancelled`, `store_failed` or `store_full`; the file may be there
/// then.
base::expected<void> take_database(const store_place& from, const std::string& folder,
                                   const copy_watch& watch);

/// Opens the database of a whole backup, or any that is in a file of that name in a folder. Changes
/// nothing in there.
base::expected<sqlite_connection> open_backup_database(const std::string& folder);

} // namespace matchcloud::store
