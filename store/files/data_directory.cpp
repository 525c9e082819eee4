#include "store/files/data_directory.hpp"

#include "base/files/io_failure.hpp"
#include "base/files/new_entry.hpp"
#include "base/files/sync_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace matchcloud::store {

namespace {

constexpr mode_t private_mode = 0700;

tl::unexpected<base::error> failure(std::string_view path, std::string_view operation, int code) {
  return base::io_failure(path, operation, code, base::errc::store_failed);
}

bool is_directory(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

bool is_link(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

} // namespace

base::expected<void> make_data_directory(const std::string& path) {
  if (path.empty()) return failure("data directory", "create the directory", ENOENT);
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const auto part = path.substr(0, end);
    if (is_directory(part)) continue;
    if (::mkdir(part.c_str(), private_mode) == 0) {
      if (auto synced = base::sync_directory(parent_of(part)); !synced) return synced;
      continue;
    }
    const int code = errno;
    // Another process may have created it first.
    if (code != EEXIST || !is_directory(part)) return failure(part, "create the directory", code);
  }
  return {};
}

base::expected<void> make_folders_in(const std::string& data_dir, std::string_view below) {
  // A data directory that somebody has moved away must not come back with nothing in it.
  if (!is_directory(data_dir)) return failure(data_dir, "use the data directory", ENOENT);
  // Root must not follow where the owner of the directory has folders lead.
  const bool is_foreign = base::gives_away_in(data_dir);
  auto part = data_dir;
  while (!below.empty()) {
    const auto end = std::min(below.find('/'), below.size());
    part.append("/").append(below.substr(0, end));
    below.remove_prefix(std::min(end + 1, below.size()));
    if (is_foreign && is_link(part)) return failure(part, "use a link of another user", ELOOP);
    if (is_directory(part)) continue;
    const auto made = base::make_folder(part, base::errc::store_failed);
    if (!made) return tl::unexpected(made.error());
    // Another process may have created it first.
    if (!*made && !is_directory(part)) return failure(part, "create the directory", EEXIST);
    if (!*made) continue;
    if (auto synced = base::sync_directory(parent_of(part)); !synced) return synced;
  }
  return {};
}

base::expected<directory_lock> directory_lock::acquire(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure(path, "open the directory", errno);
  directory_lock taken{fd};
  while (::flock(fd, LOCK_EX) != 0)
    if (errno != EINTR) return failure(path, "lock the directory", errno);
  return taken;
}

base::expected<std::optional<directory_lock>> directory_lock::try_take(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure(path, "open the directory", errno);
  directory_lock taken{fd};
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return taken;
  if (errno == EWOULDBLOCK) return std::nullopt;
  return failure(path, "lock the directory", errno);
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
