#include "store/files/secret_files.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/secret_access.hpp"
#include "base/files/sync_directory.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace matchcloud::store {

namespace {

void check_private(const std::string& path, const struct stat& found) {
  if (!S_ISREG(found.st_mode))
    throw base::failure{base::errc::store_failed,
                        "{}: not a regular file. Move it away, so that a new key is made.", path};
  if (const auto exposed = base::secret_exposure(path, found); !exposed.empty())
    throw base::failure{base::errc::store_failed,
                        "{}: this is a file of secret keys, and {}; if somebody may have read it, "
                        "then also `matchcloud signing-key rotate --revoke`.",
                        path, exposed};
}

/// Reads the file; returns nothing if there is none.
std::optional<secret_versions> read(const std::string& path) {
  // Non-blocking: opening a named pipe in its place must not wait for the other end.
  const base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file && errno == ENOENT) return std::nullopt;
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) throw file_failure(path, "open the file");
  check_private(path, found);
  const auto text = base::read_bounded(file.get(), secret_file_limit_bytes);
  if (!text) throw file_failure(path, "read the file");
  if (text->size() > secret_file_limit_bytes)
    throw damaged_secrets(path, 1, fmt::format("at most {} bytes", secret_file_limit_bytes));
  return parse_secrets(path, *text);
}

/// Writes versions to a synced file in `folder` that has no permanent name yet.
new_file write_aside(const temporary_folder& folder, const secret_versions& versions) {
  new_file file{folder.path() + "/secret"};
  file.append(render_secrets(versions));
  file.sync();
  return file;
}

} // namespace

secret_files::secret_files(std::string data_dir, const base::clock& clock)
    : data_dir_{std::move(data_dir)},
      path_{data_dir_ + "/" + std::string{signing_keys_name}},
      clock_{&clock} {}

base::expected<secret_versions> secret_files::load() {
  return base::attempt([&] {
    auto found = read(path_);
    if (!found) {
      if (has_loaded_ && ::access(data_dir_.c_str(), F_OK) != 0)
        throw file_failure(data_dir_, "use the data directory");
      make_data_directory(data_dir_);
      // On a file system without links, only the lock keeps one first secret from replacing
      // another.
      const auto alone = directory_lock::acquire(data_dir_);
      found = load_alone();
    }
    has_loaded_ = true;
    return *std::move(found);
  });
}

secret_versions secret_files::load_alone() const {
  if (auto found = read(path_)) return *std::move(found);
  {
    const auto folder = temporary_folder::make(data_dir_);
    write_aside(folder, {new_secret_version(clock_->unix_ms())}).link_to(path_);
    // Sync even if another process created the file: signatures and tickets made with the secret
    // must stay valid after a power failure.
    base::value_of(base::sync_directory(data_dir_));
  }
  if (auto found = read(path_)) return *std::move(found);
  throw base::failure{base::errc::store_failed,
                      "{}: the file was removed while it was created. Try again.", path_};
}

base::expected<std::optional<secret_versions>> secret_files::find() {
  return base::attempt([&] { return read(path_); });
}

base::expected<void> secret_files::apply(const change& make) {
  return base::attempt([&] {
    // Nothing below takes this lock again: the temporary folder has a lock of its own.
    const auto alone = directory_lock::acquire(data_dir_);
    const auto before = load_alone();
    has_loaded_ = true;
    const auto after = make(before);
    const auto folder = temporary_folder::make(data_dir_);
    write_aside(folder, after).rename_to(path_);
    base::value_of(base::sync_directory(data_dir_));
  });
}

} // namespace matchcloud::store
