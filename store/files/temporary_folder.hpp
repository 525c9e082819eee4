#pragma once

#include "base/expected.hpp"
#include "store/files/data_directory.hpp"

#include <string>
#include <utility>

namespace matchcloud::store {

/// A folder of this process for incomplete files, in a data directory's `tmp/`. The folder is
/// locked while this object lives, so that other processes can tell it from the leftovers of a
/// killed process. It is removed with its contents when this object is destroyed.
class temporary_folder {
public:
  /// Creates the folder. Fails with `store_failed`.
  static base::expected<temporary_folder> make(const std::string& data_dir);

  temporary_folder(temporary_folder&& other) noexcept
      : path_{std::exchange(other.path_, {})}, lock_{std::move(other.lock_)} {}
  temporary_folder& operator=(temporary_folder&&) = delete;
  ~temporary_folder();

  const std::string& path() const noexcept { return path_; }

private:
  temporary_folder(std::string path, directory_lock lock)
      : path_{std::move(path)}, lock_{std::move(lock)} {}

  /// Empty after a move.
  std::string path_;
  directory_lock lock_;
};

/// Removes what dead processes left in a data directory's `tmp/`, but nothing that a living process
/// holds. Any process, at any time.
void remove_leftovers(const std::string& data_dir);

} // namespace matchcloud::store
