#pragma once

#include "base/expected.hpp"
#include "store/files/data_directory.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace matchcloud::store {

/// A folder of this process for incomplete files, in a data directory's `tmp/`. The folder is
/// locked while this object lives, so that other processes can tell it from the leftovers of a
/// killed process. It is removed with its contents when this object is destroyed. Any thread.
class temporary_folder {
public:
  /// Creates the folder, and the data directory if there is none. Fails with `store_failed`.
  static base::expected<temporary_folder> make(const std::string& data_dir);

  temporary_folder(temporary_folder&&) noexcept = default;
  temporary_folder& operator=(temporary_folder&&) = delete;
  ~temporary_folder();

  /// The path of the folder when it was last created.
  std::string path() const;

  /// The path of `name` in the folder. If the folder has been removed (by a clean-up of `tmp/`), a
  /// new one is created first, provided the data directory exists; unfinished files in the old one
  /// are lost. Fails with `store_failed`. Costs two system calls.
  base::expected<std::string> place(const std::string& name);

private:
  struct locked_folder {
    std::string path;
    directory_lock lock;
  };
  struct state {
    state(std::string of, locked_folder made) : data_dir{std::move(of)}, folder{std::move(made)} {}

    std::string data_dir;
    std::mutex mutex;
    locked_folder folder;
  };

  explicit temporary_folder(std::unique_ptr<state> made) noexcept : state_{std::move(made)} {}
  static base::expected<locked_folder> make_folder(const std::string& data_dir);

  /// Null after a move.
  std::unique_ptr<state> state_;
};

/// The name, in a data directory, of the parent of all temporary folders.
inline constexpr const char* temporary_name = "tmp";

/// Removes what dead processes left in a data directory's `tmp/`, but nothing of running processes.
/// Any process, at any time.
void remove_leftovers(const std::string& data_dir);

} // namespace matchcloud::store
