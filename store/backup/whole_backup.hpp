#pragma once

#include "base/crypto/sha256.hpp"
#include "base/expected.hpp"
#include "store/backup/backup_manifest.hpp"
#include "store/backup/finding.hpp"
#include "store/copy/store_copy.hpp"

#include <string>

namespace matchcloud::store {

/// A folder whose manifest says that it is a whole backup.
struct whole_backup {
  std::string folder;
  backup_manifest manifest;
  /// Of the manifest, which has those of all files: so it tells backups apart.
  std::string sha256;

  std::string path_of(const std::string& name) const { return folder + "/" + name; }
};

/// Reads the manifest. Fails with `import_invalid` where there is none, which is not a whole
/// backup, or a damaged one; with `store_newer` where a newer program made the backup, in a schema
/// that this one does not know; with `store_failed`.
base::expected<whole_backup> open_backup(const std::string& folder);

/// Reads all files and compares them with the manifest: what is missing, damaged, or there without
/// being in it. Fails with `cancelled` or `store_failed`.
base::expected<findings> check_files(const whole_backup& of, const copy_watch& watch);

} // namespace matchcloud::store
