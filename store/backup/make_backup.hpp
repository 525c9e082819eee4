#pragma once

#include "base/expected.hpp"
#include "store/backup/backup_manifest.hpp"
#include "store/copy/store_copy.hpp"
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

/// Makes a backup of a store that may be in use: the rows of one snapshot, all images that they
/// refer to, and exports that are files. The folder looks like a data directory. The backup is
/// whole once this returns; until then the folder has no manifest. A failure removes it again.
///
/// Fails with `config_invalid` if the folder or a key is unsuitable; with `store_failed` also if
/// images are missing in the store or damaged, because the backup would not be whole; and like
/// `take_database`.
base::expected<backup_manifest> make_backup(const backup_request& what, const copy_watch& watch);

} // namespace matchcloud::store
