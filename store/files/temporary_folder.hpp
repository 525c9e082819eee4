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
  /// Creates the folder, and the data directory where there is none. Fails with `store_failed`.
  static base::expected<temporary_folder> make(const std::string& data_dir);

  temporary_folder(temporary_folder&&) noexcept = default;
  temporary_folder& operator=(temporary_folder&&) = delete;
  ~temporary_folder();

  /// Where the folder was when it was last made.
  std::string path() const;

  /// The path of `name` in the folder. If the folder has been removed (somebody cleaned up `tmp/`),
  /// another one is made first, as long as there is a data directory; what was being written in the
  /// old one is lost. Fails with `store_failed`. Costs two system calls.
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

/// The name, in a data directory, of the folder that has all of these.
inline constexpr const char* temporary_name = "tmp";

/// Removes what dead processes left in a data directory's `tmp/`, but nothing that a living process
/// holds. Any process, at any time.
void remove_leftovers(const std::string& data_dir);

} // namespace matchcloud::store
