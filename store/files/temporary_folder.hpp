#pragma once

#include "base/expected.hpp"
#include "store/files/data_directory.hpp"

#include <string>
#include <utility>

namespace matchcloud::store {

/// A folder of this process for files that are not whole yet, below a data directory's `tmp/`. Held
/// by a lock for as long as this object lives, so that others can tell it from what a process that
/// was killed left behind. Goes with its contents when this does.
class temporary_folder {
public:
  /// Fails with `store_failed`.
  static base::expected<temporary_folder> make(const std::string& data_dir);

  temporary_folder(temporary_folder&& other) noexcept
      : path_{std::exchange(other.path_, {})}, lock_{std::move(other.lock_)} {}
  temporary_folder& operator=(temporary_folder&&) = delete;
  ~temporary_folder();

  const std::string& path() const noexcept { return path_; }

private:
  temporary_folder(std::string path, directory_lock lock)
      : path_{std::move(path)}, lock_{std::move(lock)} {}

  /// Empty once moved from.
  std::string path_;
  directory_lock lock_;
};

/// Removes what processes that are gone left in a data directory's `tmp/`. Removes nothing that a
/// living process holds. Any process, at any time.
void remove_leftovers(const std::string& data_dir);

} // namespace matchcloud::store
