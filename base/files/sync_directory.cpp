#include "base/files/sync_directory.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/io_failure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace matchcloud::base {

namespace {

/// Whether an errno means that the file system cannot sync directories. Names in them are then only
/// as durable as the file system makes them.
bool cannot_sync(int code) noexcept {
  return code == EINVAL || code == EOPNOTSUPP || code == ENOSYS;
}

} // namespace

expected<void> sync_directory(const std::string& path) {
  const file_descriptor directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!directory) return io_failure(path, "open the directory", errno, errc::store_failed);
  if (::fsync(directory.get()) == 0 || cannot_sync(errno)) return {};
  return io_failure(path, "sync the directory", errno, errc::store_failed);
}

} // namespace matchcloud::base
