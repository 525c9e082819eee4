#pragma once

#include "base/expected.hpp"

#include <optional>
#include <string>
#include <utility>

namespace matchcloud::store {

/// Creates `path` and the parents it lacks, for this user only (0700), and syncs what it created
/// into. What exists keeps its permissions. Fails with `store_failed`.
base::expected<void> make_data_directory(const std::string& path);

/// Holds a directory against other holders, of this and of other processes; the kernel lets go when
/// the process dies. Leaves no file behind: it is `flock` on the directory itself.
class directory_lock {
public:
  /// Waits for as long as another holds it. Fails with `store_failed`.
  static base::expected<directory_lock> acquire(const std::string& path);

  /// Nothing where another holds it. Fails with `store_failed`.
  static base::expected<std::optional<directory_lock>> try_take(const std::string& path);

  directory_lock(directory_lock&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  directory_lock& operator=(directory_lock&&) = delete;
  ~directory_lock();

private:
  explicit directory_lock(int fd) noexcept : fd_{fd} {}

  int fd_;
};

} // namespace matchcloud::store
