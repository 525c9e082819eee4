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

/// Makes a backup of a store that others may use meanwhile: rows of one snapshot, all images that
/// they name, and exports where these are files. The folder looks like a data directory. It is a
/// whole backup once this returns it, and has no manifest before; a failure removes it again.
///
/// Fails with `config_invalid` where the folder or a key does not serve; with `store_failed` also
/// where images are missing in the store or damaged, because the backup would not be whole; and
/// like `take_database`.
base::expected<backup_manifest> make_backup(const backup_request& what, const copy_watch& watch);

} // namespace matchcloud::store
