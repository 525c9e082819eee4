#pragma once

#include "base/expected.hpp"
#include "store/copy/store_copy.hpp"
#include "store/engines/store_place.hpp"
#include "store/sqlite/sqlite.hpp"

#include <string>

namespace matchcloud::store {

/// Makes the database of a backup in `folder`: a SQLite database with the newest schema and all
/// rows of a store, of one snapshot that is taken after the call. A store in a data directory is
/// copied page by page; it may have an older schema and is not migrated. A PostgreSQL store is
/// copied row by row. Rows about objects of a bucket and about running processes are left out.
/// Writers to the store do not wait for this. Fails with `store_newer`, with `import_invalid` if
/// the store is an unfinished copy, or with `cancelled`, `store_failed` or `store_full`; the file
/// may exist after a failure.
base::expected<void> take_database(const store_place& from, const std::string& folder,
                                   const copy_watch& watch);

/// Opens the database of a whole backup, or a file of the same name in any folder, as the user that
/// started the process. Changes nothing in the folder. Throws like the connection.
sqlite_connection open_backup_database(const std::string& folder);

} // namespace matchcloud::store
