#include "store/database_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace matchcloud::store {

namespace {

enum class sight { same, another, none };

sight look(const std::string& path, dev_t device, ino_t inode) noexcept {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return errno == ENOENT || errno == ENOTDIR ? sight::none : sight::same;
  return found.st_dev == device && found.st_ino == inode ? sight::same : sight::another;
}

} // namespace

database_file::database_file(const std::string& data_dir)
    : path_{data_dir + "/" + database_file_name} {
  pin_ = std::make_shared<const base::file_descriptor>(::open(path_.c_str(), O_PATH | O_CLOEXEC));
  struct stat found {};
  if (!*pin_ || ::fstat(pin_->get(), &found) != 0) return;
  device_ = found.st_dev;
  inode_ = found.st_ino;
}

bool database_file::is_there() const noexcept {
  return look(path_, device_, inode_) == sight::same;
}

std::optional<std::string> database_file::why_lost() const {
  switch (look(path_, device_, inode_)) {
  case sight::same: break;
  case sight::another:
    // SQLite would apply the log of the former file to this one.
    return "it was replaced by another file while this process used it; put the original back, or, "
           "to use the new file, stop the service, remove " +
           path_ + "-wal and -shm, which belong to the original, and start it again";
  case sight::none:
    return "it is gone; move the same file back, or, to use a copy of it, stop the service, "
           "remove " +
           path_ +
           "-wal and -shm, which would damage the copy, put the copy in its place and start the "
           "service again; without a file the service creates a new store";
  }
  return std::nullopt;
}

} // namespace matchcloud::store
