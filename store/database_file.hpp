#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

namespace matchcloud::store {

/// The database file of a data directory, as it was found when this object was made. SQLite keeps
/// it open, so that whoever renames or copies another file over its name, or removes it, leaves
/// this process with a file that nobody else has. Any thread.
class database_file {
public:
  /// The file need not be there, and is lost then.
  explicit database_file(const std::string& data_dir);

  /// Whether its name still leads to the same file. Costs one system call. Also true where that
  /// cannot be told because the disk fails.
  bool is_there() const noexcept;
  /// What has happened to the file and what to do, to follow "the database PATH: "; nothing while
  /// it is there.
  std::optional<std::string> why_lost() const;

  const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  /// Keeps the number of a file that was removed from being given to the next one. Opened by
  /// O_PATH, so that closing it drops none of SQLite's locks. Copies share it.
  std::shared_ptr<const void> pin_;
};

/// The name of the database in a data directory.
inline constexpr const char* database_file_name = "matchcloud.db";

} // namespace matchcloud::store
