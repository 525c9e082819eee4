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
  /// Of the manifest, which has the digests of all files, so it identifies the backup.
  std::string sha256;

  std::string path_of(const std::string& name) const { return folder + "/" + name; }
};

/// Reads the manifest. Fails with `import_invalid` if it is missing (the backup is not whole) or
/// damaged, with `store_newer` if a newer program made the backup with a schema that this one does
/// not know, or with `store_failed`.
base::expected<whole_backup> open_backup(const std::string& folder);

/// Reads all files and compares them with the manifest: finds those that are missing, damaged or
/// not listed. Fails with `cancelled` or `store_failed`.
base::expected<findings> check_files(const whole_backup& of, const copy_watch& watch);

} // namespace matchcloud::store
