#pragma once

#include "base/expected.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

/// `base::io_failure` with `store_failed`.
tl::unexpected<base::error> file_failure(std::string_view path, std::string_view operation,
                                         int code);

/// Creates `path` and its missing parents for this user only (0700), and syncs the directories that
/// it creates entries in. Existing directories keep their permissions. Fails with `store_failed`.
base::expected<void> make_data_directory(const std::string& path);

/// Creates the missing folders of `below` (such as `media/AB`) in a data directory that exists.
/// Fails with `store_failed`.
base::expected<void> make_folders_in(const std::string& data_dir, std::string_view below);

/// An exclusive lock on a directory, against other holders in this and other processes; the kernel
/// releases it when the process dies. Uses `flock` on the directory itself, so it leaves no file
/// behind.
class directory_lock {
public:
  /// Waits until no other holder has the lock. Fails with `store_failed`.
  static base::expected<directory_lock> acquire(const std::string& path);

  /// Returns nothing if another holder has the lock. Fails with `store_failed`.
  static base::expected<std::optional<directory_lock>> try_take(const std::string& path);

  directory_lock(directory_lock&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  directory_lock& operator=(directory_lock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~directory_lock();

  /// Whether `path` still names the locked directory, which may have been removed or replaced.
  bool is_on(const std::string& path) const noexcept;

private:
  explicit directory_lock(int fd) noexcept : fd_{fd} {}

  int fd_;
};

} // namespace matchcloud::store
