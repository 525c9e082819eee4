#include "store/files/secret_files.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/read_bounded.hpp"
#include "base/files/secret_access.hpp"
#include "base/files/sync_directory.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"
#include "store/files/secret_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

void check_private(secret_name name, const std::string& path, const struct stat& found) {
  const auto& facts = facts_of(name);
  std::string detail = path;
  if (!S_ISREG(found.st_mode)) {
    detail.append(": not a regular file. Move it away, so that a new ").append(facts.noun);
    throw base::failure{base::errc::store_failed, detail + " is made."};
  }
  const auto exposed = base::secret_exposure(path, found);
  if (exposed.empty()) return;
  detail.append(": this is a file of secret ").append(facts.noun).append("s, and ");
  detail.append(exposed).append("; if somebody may have read it, ").append(facts.leak);
  throw base::failure{base::errc::store_failed, detail + "."};
}

/// Reads the file of a secret; returns nothing if there is none.
std::optional<secret_versions> read(secret_name name, const std::string& path) {
  // Non-blocking: opening a named pipe in its place must not wait for the other end.
  const base::file_descriptor file{
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file && errno == ENOENT) return std::nullopt;
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0) throw file_failure(path, "open the file");
  check_private(name, path, found);
  const auto text = base::read_bounded(file.get(), secret_file_limit_bytes);
  if (!text) throw file_failure(path, "read the file");
  if (text->size() > secret_file_limit_bytes)
    throw damaged_secrets(name, path, 1,
                          "at most " + std::to_string(secret_file_limit_bytes) + " bytes");
  return parse_secrets(name, path, *text);
}

/// Writes versions to a synced file in `folder` that has no permanent name yet.
new_file write_aside(const temporary_folder& folder, secret_name name,
                     const secret_versions& versions) {
  new_file file{folder.path() + "/" + std::string{facts_of(name).name}};
  file.append(render_secrets(name, versions));
  file.sync();
  return file;
}

} // namespace

secret_files::secret_files(std::string data_dir, const base::clock& clock)
    : data_dir_{std::move(data_dir)}, clock_{&clock} {}

base::expected<secret_versions> secret_files::load(secret_name name) {
  return base::attempt([&] {
    auto found = read(name, path_of(name));
    if (!found) {
      if (has_loaded_ && ::access(data_dir_.c_str(), F_OK) != 0)
        throw file_failure(data_dir_, "use the data directory");
      make_data_directory(data_dir_);
      // On a file system without links, only the lock keeps one first secret from replacing
      // another.
      const auto alone = directory_lock::acquire(data_dir_);
      found = load_alone(name);
    }
    has_loaded_ = true;
    return *std::move(found);
  });
}

secret_versions secret_files::load_alone(secret_name name) const {
  const auto path = path_of(name);
  if (auto found = read(name, path)) return *std::move(found);
  {
    const auto folder = temporary_folder::make(data_dir_);
    write_aside(folder, name, {new_secret_version(clock_->unix_ms())}).link_to(path);
    // Sync even if another process created the file: signatures and tickets made with the secret
    // must stay valid after a power failure.
    base::value_of(base::sync_directory(data_dir_));
  }
  if (auto found = read(name, path)) return *std::move(found);
  throw base::failure{base::errc::store_failed,
                      path + ": the file was removed while it was created. Try again."};
}

base::expected<std::optional<secret_versions>> secret_files::find(secret_name name) {
  return base::attempt([&] { return read(name, path_of(name)); });
}

std::string secret_files::path_of(secret_name name) const {
  return data_dir_ + "/" + std::string{facts_of(name).name};
}

base::expected<bool> secret_files::apply(secret_name name, const change& make) {
  return base::attempt([&] {
    // Nothing below takes this lock again: the temporary folder has a lock of its own.
    const auto alone = directory_lock::acquire(data_dir_);
    const auto before = load_alone(name);
    has_loaded_ = true;
    const auto after = base::value_of(make(before));
    if (!after) return false;
    const auto folder = temporary_folder::make(data_dir_);
    write_aside(folder, name, *after).rename_to(path_of(name));
    base::value_of(base::sync_directory(data_dir_));
    return true;
  });
}

} // namespace matchcloud::store
