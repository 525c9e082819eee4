#include "store/files/data_directory.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/sync_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace matchcloud::store {

namespace {

constexpr mode_t folder_mode = 0700;

bool is_directory(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Makes a folder if it is missing, and syncs its parent.
base::expected<void> make_folder(const std::string& path) {
  if (is_directory(path)) return {};
  if (::mkdir(path.c_str(), folder_mode) == 0) return base::sync_directory(parent_of(path));
  if (errno != EEXIST) return file_failure(path, "create the directory", errno);
  // Another process may have created it first.
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return file_failure(path, "create the directory", errno);
  if (!S_ISDIR(found.st_mode)) return file_failure(path, "create the directory", ENOTDIR);
  return {};
}

} // namespace

tl::unexpected<base::error> file_failure(std::string_view path, std::string_view operation,
                                         int code) {
  return base::io_failure(path, operation, code, base::errc::store_failed);
}

base::expected<void> make_data_directory(const std::string& path) {
  if (path.empty()) return file_failure("data directory", "create the directory", ENOENT);
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    if (auto made = make_folder(path.substr(0, end)); !made) return made;
  }
  return {};
}

base::expected<void> make_folders_in(const std::string& data_dir, std::string_view below) {
  // A data directory that was moved away must not be recreated empty.
  struct stat found {};
  if (::stat(data_dir.c_str(), &found) != 0)
    return file_failure(data_dir, "use the data directory", errno);
  if (!S_ISDIR(found.st_mode)) return file_failure(data_dir, "use the data directory", ENOTDIR);
  auto part = data_dir;
  while (!below.empty()) {
    const auto end = std::min(below.find('/'), below.size());
    part.append("/").append(below.substr(0, end));
    below.remove_prefix(std::min(end + 1, below.size()));
    if (auto made = make_folder(part); !made) return made;
  }
  return {};
}

base::expected<directory_lock> directory_lock::acquire(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return file_failure(path, "open the directory", errno);
  directory_lock taken{fd};
  while (::flock(fd, LOCK_EX) != 0)
    if (errno != EINTR) return file_failure(path, "lock the directory", errno);
  return taken;
}

base::expected<std::optional<directory_lock>> directory_lock::try_take(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return file_failure(path, "open the directory", errno);
  directory_lock taken{fd};
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return taken;
  if (errno == EWOULDBLOCK) return std::nullopt;
  return file_failure(path, "lock the directory", errno);
}

bool directory_lock::is_on(const std::string& path) const noexcept {
  struct stat own {};
  struct stat named {};
  return ::fstat(fd_, &own) == 0 && ::stat(path.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

directory_lock::~directory_lock() {
  if (fd_ >= 0) ::close(fd_);
}

} // namespace matchcloud::store
