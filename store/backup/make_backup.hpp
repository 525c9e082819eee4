#pragma once

#include "base/expected.hpp"
#include "store/backup/backup_manifest.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/engines/store_place.hpp"

#include <string>

namespace matchcloud::store {

struct backup_request {
  store_place from;
  /// Missing or empty.
  std::string folder;
  bool with_secrets = false;
  /// The version of this program.
  std::string program;
};

/// Makes a backup of a store that may be in use: the rows of one snapshot, and all images that they
/// refer to. Exports are left out, because they can be made again. The folder looks like a data
/// directory. The backup is whole once this returns; until then the folder has no manifest. A
/// failure removes it again.
///
/// The database is a SQLite file with the newest schema: a store in a data directory is copied page
/// by page, and may have an older schema; a PostgreSQL store is copied row by row. Writers to the
/// store do not wait.
///
/// Fails with `config_invalid` if the folder or a key is unsuitable; with `store_failed` also if
/// images are missing in the store or damaged, because the backup would not be whole; with
/// `store_newer`; with `import_invalid` if the store is an unfinished copy; or with `cancelled` or
/// `store_full`.
base::expected<backup_manifest> make_backup(const backup_request& what, const copy_watch& watch);

} // namespace matchcloud::store
