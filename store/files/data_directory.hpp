#pragma once

#include "base/failure.hpp"
#include "base/files/file_descriptor.hpp"

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// All functions below throw `store_failed` or `store_full`.
namespace matchcloud::store {

/// `base::io_failure` with `store_failed`, to be thrown.
base::failure file_failure(std::string_view path, std::string_view operation, int code = errno);

/// Creates `path` and its missing parents for this user only (0700), and syncs the directories that
/// it creates entries in. Existing directories keep their permissions.
void make_data_directory(const std::string& path);

/// Creates the missing folders of `below` (such as `media/AB`) in a data directory that exists.
void make_folders_in(const std::string& data_dir, std::string_view below);

/// An exclusive lock on a directory, against other holders in this and other processes; the kernel
/// releases it when the process dies. Uses `flock` on the directory itself, so it leaves no file
/// behind.
class directory_lock {
public:
  /// Waits until no other holder has the lock.
  static directory_lock acquire(const std::string& path);

  /// Returns nothing if another holder has the lock.
  static std::optional<directory_lock> try_take(const std::string& path);

  /// Whether `path` still names the locked directory, which may have been removed or replaced.
  bool is_on(const std::string& path) const noexcept;

private:
  /// Whether it is taken. `operation`: of `flock`.
  bool take(const std::string& path, int operation) const;

  explicit directory_lock(const std::string& path);

  base::file_descriptor file_;
};

/// A folder for incomplete files, in the `tmp/` of a data directory that exists. The folder is
/// locked while this object lives, so that other processes can tell it from the leftovers of a
/// killed process. It is removed with its contents when this object is destroyed.
class temporary_folder {
public:
  static temporary_folder make(const std::string& data_dir);

  temporary_folder(temporary_folder&& other) noexcept
      : path_{std::exchange(other.path_, {})}, lock_{std::move(other.lock_)} {}
  temporary_folder& operator=(temporary_folder&&) = delete;
  ~temporary_folder();

  const std::string& path() const noexcept { return path_; }

private:
  temporary_folder(std::string path, directory_lock lock) noexcept
      : path_{std::move(path)}, lock_{std::move(lock)} {}

  /// Empty after a move.
  std::string path_;
  directory_lock lock_;
};

/// The name, in a data directory, of the parent of all temporary folders.
inline constexpr const char* temporary_name = "tmp";

/// Removes what dead processes left in a data directory's `tmp/`, but nothing of running processes.
/// Any process, at any time. Does not throw.
void remove_leftovers(const std::string& data_dir);

} // namespace matchcloud::store
