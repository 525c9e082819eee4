#pragma once

#include "base/files/file_descriptor.hpp"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

namespace matchcloud::store {

/// The database file of a data directory, as it was found when this object was made. SQLite keeps
/// it open. If another file is renamed or copied over its name, or it is removed, this process is
/// left with a file that no other process can reach. Any thread.
class database_file {
public:
  /// If the file does not exist, it counts as lost.
  explicit database_file(const std::string& data_dir);

  /// Whether its name still refers to the same file; also true if a disk failure makes that
  /// unknown. Costs one system call.
  bool is_there() const noexcept;
  /// What has happened to the file and what to do, to follow "the database PATH: "; nothing while
  /// it is there.
  std::optional<std::string> why_lost() const;

  const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  /// Keeps the inode number of a removed file from being reused. Opened with O_PATH, so that
  /// closing it drops none of SQLite's locks. Shared by copies.
  std::shared_ptr<const base::file_descriptor> pin_;
};

/// The name of the database in a data directory.
inline constexpr const char* database_file_name = "matchcloud.db";

} // namespace matchcloud::store
