#include "store/files/secret_files.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/secret_access.hpp"
#include "base/files/sync_directory.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"
#include "store/files/secret_text.hpp"
#include "store/files/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

base::expected<void> check_private(secret_name name, const std::string& path,
                                   const struct stat& found) {
  const auto& facts = facts_of(name);
  std::string detail = path;
  if (!S_ISREG(found.st_mode)) {
    detail.append(": not a regular file. Move it away, so that a new ").append(facts.noun);
    detail += " is made.";
    return base::fail(base::errc::store_failed, std::move(detail));
  }
  const auto exposed = base::secret_exposure(path, found);
  if (exposed.empty()) return {};
  detail.append(": this is a file of secret ").append(facts.noun).append("s, and ");
  detail.append(exposed).append("; if somebody may have read it, ").append(facts.leak);
  detail += ".";
  return base::fail(base::errc::store_failed, std::move(detail));
}

/// Reads the file of a secret; returns nothing if there is none.
base::expected<std::optional<secret_versions>> read(secret_name name, const std::string& path) {
  // Non-blocking: opening a named pipe in its place must not wait for the other end.
  const base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file && errno == ENOENT) return std::nullopt;
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) return file_failure(path, "open the file", errno);
  if (auto checked = check_private(name, path, found); !checked)
    return tl::unexpected(checked.error());
  const auto text = base::read_bounded(file.get(), secret_file_limit_bytes);
  if (!text) return file_failure(path, "read the file", errno);
  if (text->size() > secret_file_limit_bytes)
    return damaged_secrets(name, path, 1,
                           "at most " + std::to_string(secret_file_limit_bytes) + " bytes");
  auto versions = parse_secrets(name, path, *text);
  if (!versions) return tl::unexpected(versions.error());
  return std::optional{*std::move(versions)};
}

/// Writes versions to a synced file in `folder` that has no permanent name yet.
base::expected<new_file> write_aside(const temporary_folder& folder, secret_name name,
                                     const secret_versions& versions) {
  auto file = new_file::create(folder.path() + "/" + std::string{facts_of(name).name});
  if (!file) return file;
  auto written =
      file->append(render_secrets(name, versions)).and_then([&] { return file->sync(); });
  if (!written) return tl::unexpected(written.error());
  return file;
}

} // namespace

secret_files::secret_files(std::string data_dir, const base::clock& clock)
    : data_dir_{std::move(data_dir)}, clock_{&clock} {}

base::expected<secret_versions> secret_files::load(secret_name name) {
  auto found = find(name);
  if (!found) return tl::unexpected(found.error());
  if (*found) {
    has_loaded_ = true;
    return **std::move(found);
  }
  if (auto gone = check_directory(); !gone) return tl::unexpected(gone.error());
  if (auto made = make_data_directory(data_dir_); !made) return tl::unexpected(made.error());
  // On a file system without links, only the lock keeps one first secret from replacing another.
  const auto alone = directory_lock::acquire(data_dir_);
  if (!alone) return tl::unexpected(alone.error());
  return load_alone(name);
}

base::expected<secret_versions> secret_files::load_alone(secret_name name) {
  const auto path = path_of(name);
  auto found = read(name, path);
  if (found && !*found) {
    if (auto created = create(name); !created) return tl::unexpected(created.error());
    found = read(name, path);
  }
  if (!found) return tl::unexpected(found.error());
  if (!*found)
    return base::fail(base::errc::store_failed,
                      path + ": the file was removed while it was created. Try again.");
  has_loaded_ = true;
  return **std::move(found);
}

base::expected<std::optional<secret_versions>> secret_files::find(secret_name name) {
  return read(name, path_of(name));
}

base::expected<void> secret_files::check_directory() const {
  if (!has_loaded_ || ::access(data_dir_.c_str(), F_OK) == 0) return {};
  return file_failure(data_dir_, "use the data directory", errno);
}

std::string secret_files::path_of(secret_name name) const {
  return data_dir_ + "/" + std::string{facts_of(name).name};
}

base::expected<void> secret_files::create(secret_name name) const {
  const auto folder = temporary_folder::make(data_dir_);
  if (!folder) return tl::unexpected(folder.error());
  auto file = write_aside(*folder, name, {new_secret_version(clock_->unix_ms())});
  if (!file) return tl::unexpected(file.error());
  if (auto linked = file->link_to(path_of(name)); !linked) return tl::unexpected(linked.error());
  // Sync even if another process created the file: signatures and tickets made with the secret must
  // stay valid after a power failure.
  return base::sync_directory(data_dir_);
}

base::expected<bool> secret_files::apply(secret_name name, const change& make) {
  // Nothing below takes this lock again: the temporary folder has a lock of its own.
  const auto alone = directory_lock::acquire(data_dir_);
  if (!alone) return tl::unexpected(alone.error());
  const auto before = load_alone(name);
  if (!before) return tl::unexpected(before.error());
  const auto after = make(*before);
  if (!after) return tl::unexpected(after.error());
  if (!*after) return false;
  const auto folder = temporary_folder::make(data_dir_);
  if (!folder) return tl::unexpected(folder.error());
  auto file = write_aside(*folder, name, **after);
  if (!file) return tl::unexpected(file.error());
  if (auto named = file->rename_to(path_of(name)); !named) return tl::unexpected(named.error());
  if (auto synced = base::sync_directory(data_dir_); !synced) return tl::unexpected(synced.error());
  return true;
}

} // namespace matchcloud::store
