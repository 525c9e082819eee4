#pragma once

#include "base/expected.hpp"
#include "base/files/file_descriptor.hpp"
#include "store/backup/backup_manifest.hpp"
#include "store/backup/row_checks.hpp"
#include "store/copy/copy_watch.hpp"
#include "store/object_store.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

// All of these throw `base::failure`.

/// Receives the bytes of a file in order; may throw.
using take_bytes = std::function<void(std::string_view piece)>;

/// A regular file that is open for reading.
struct regular_file {
  std::string path;
  base::file_descriptor file;
  /// When it was opened.
  std::uint64_t size_bytes = 0;

  /// Opens a file; nothing if there is none. Does not follow links. Throws `store_failed`.
  static std::optional<regular_file> open(const std::string& path);
  /// Passes that number of bytes to `take`, unless it is empty, and returns their SHA-256 as
  /// digits. Throws `cancelled` if the watch stops it, or `store_failed`.
  std::string read(const copy_watch& watch, const take_bytes& take = {}) const;
};

/// The same for an object; returns nothing if there is none. Throws like the store.
std::optional<std::string> read_object(object_store& in, const object_name& name,
                                       const copy_watch& watch, const take_bytes& take = {});

/// A folder whose manifest says that it is a whole backup.
struct whole_backup {
  std::string folder;
  backup_manifest manifest;
  /// Of the manifest, which has the digests of all files, so it identifies the backup.
  std::string sha256;

  std::string path_of(const std::string& name) const { return folder + "/" + name; }
  /// Passes the bytes of a file to `take`, if that is not empty, unless it has another size than
  /// the manifest says. Returns what is wrong with the file. Throws like `regular_file`.
  std::optional<finding> read(const backup_file& file, const copy_watch& watch,
                              const take_bytes& take = {}) const;
};

/// Reads the manifest. Throws `import_invalid` if it is missing (the backup is not whole) or
/// damaged, `store_newer` if a newer program made the backup with a schema that this one does not
/// know, or `store_failed`.
whole_backup open_backup(const std::string& folder, const copy_watch& watch);

/// Opens the database of a whole backup, or a file of the same name in any folder, as the user that
/// started the process. Changes nothing in the folder. Throws like the connection.
sqlite_connection open_backup_database(const std::string& folder);

/// Removes the database in a folder, with its log and journal, as far as they exist. Nothing has it
/// open.
void remove_database(const std::string& folder);

} // namespace matchcloud::store
