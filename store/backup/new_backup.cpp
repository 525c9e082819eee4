#include "store/backup/new_backup.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/files/io_failure.hpp"
#include "base/files/sync_directory.hpp"
#include "base/files/working_identity.hpp"
#include "base/hexadecimal.hpp"
#include "store/backup/file_digest.hpp"
#include "store/files/data_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

tl::unexpected<base::error> refuse(const std::string& folder, std::string_view why) {
  return base::fail(base::errc::config_invalid, folder + ": " + std::string{why});
}

bool has_file(const std::string& folder, std::string_view name) {
  std::error_code ignored;
  return fs::exists(fs::path{folder} / name, ignored);
}

/// Why a folder that is not empty cannot receive a backup.
tl::unexpected<base::error> refuse_full(const std::string& folder) {
  if (has_file(folder, manifest_name))
    return refuse(folder,
                  "it already has a backup; use another folder, such as one named after the date");
  if (has_file(folder, unfinished_manifest_name))
    return refuse(folder, "a backup into this folder is running, or was interrupted and is not "
                          "whole; if none is running, remove the folder, or use another");
  return refuse(folder, "the folder is not empty; use one that is missing or empty");
}

/// Whether the folder exists; if it does, it must be empty.
base::expected<bool> is_empty_folder(const std::string& folder) {
  std::error_code failed;
  const auto status = fs::status(folder, failed);
  if (status.type() == fs::file_type::not_found) return false;
  if (failed)
    return base::io_failure(folder, "look at the folder", failed.value(), base::errc::store_failed);
  if (!fs::is_directory(status)) return refuse(folder, "it is not a folder");
  const bool is_empty = fs::is_empty(folder, failed);
  if (failed)
    return base::io_failure(folder, "look at the folder", failed.value(), base::errc::store_failed);
  if (!is_empty) return refuse_full(folder);
  return true;
}

} // namespace

base::expected<std::unique_ptr<new_backup>> new_backup::begin(const std::string& folder) {
  const base::as_invoker self;
  const auto was_there = is_empty_folder(folder);
  if (!was_there) return tl::unexpected(was_there.error());
  if (auto made = make_data_directory(folder); !made) return tl::unexpected(made.error());
  auto manifest = new_file::create(folder + "/" + unfinished_manifest_name);
  // Another backup into it began at the same moment.
  if (!manifest && has_file(folder, unfinished_manifest_name)) return refuse_full(folder);
  if (!manifest) return tl::unexpected(manifest.error());
  // Not make_unique: the constructor is private.
  return std::unique_ptr<new_backup>{new new_backup{folder, !*was_there, *std::move(manifest)}};
}

new_backup::new_backup(std::string folder, bool is_own, new_file manifest)
    : folder_{std::move(folder)}, is_own_{is_own}, manifest_{std::move(manifest)} {}

new_backup::~new_backup() {
  if (is_whole_) return;
  const base::as_invoker self;
  ::unlink(path_of(manifest_name).c_str());
  std::error_code ignored; // the next backup refuses what is left
  fs::directory_iterator entry{folder_, ignored};
  for (; !ignored && entry != fs::directory_iterator{}; entry.increment(ignored))
    if (std::error_code stays; entry->path().filename() != unfinished_manifest_name)
      fs::remove_all(entry->path(), stays);
  ::unlink(path_of(unfinished_manifest_name).c_str());
  if (is_own_) ::rmdir(folder_.c_str());
}

std::string new_backup::path_of(std::string_view name) const {
  return folder_ + "/" + std::string{name};
}

base::expected<void> new_backup::make_folder_of(const std::string& name) const {
  const auto slash = name.rfind('/');
  if (slash == std::string::npos) return {};
  return make_folders_in(folder_, std::string_view{name}.substr(0, slash));
}

base::expected<bool> new_backup::add(const std::string& source, const std::string& name) {
  const auto file = open_regular(source);
  if (!file) return tl::unexpected(file.error());
  if (!*file) return false;
  const base::as_invoker self;
  if (auto made = make_folder_of(name); !made) return tl::unexpected(made.error());
  // Exactly the file that was opened, whatever has its name by now.
  const auto opened = "/proc/self/fd/" + std::to_string((*file)->get());
  const bool is_linked =
      ::linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, path_of(name).c_str(), AT_SYMLINK_FOLLOW) == 0;
  auto done = is_linked ? digest((*file)->get(), source, name) : copy((*file)->get(), source, name);
  if (!done) return tl::unexpected(done.error());
  return true;
}

base::expected<void> new_backup::digest(int file, const std::string& path,
                                        const std::string& name) {
  auto facts = read_file(file, path, name);
  if (!facts) return tl::unexpected(facts.error());
  files_.insert_or_assign(name, *std::move(facts));
  return {};
}

base::expected<void> new_backup::copy(int file, const std::string& path, const std::string& name) {
  auto into = new_file::create(path_of(name));
  if (!into) return tl::unexpected(into.error());
  auto facts =
      read_file(file, path, name, [&](std::string_view piece) { return into->append(piece); });
  if (!facts) return tl::unexpected(facts.error());
  into->keep();
  files_.insert_or_assign(name, *std::move(facts));
  return {};
}

base::expected<bool> new_backup::add(object_store& from, const object_name& name) {
  const base::as_invoker self;
  if (auto made = make_folder_of(name.text()); !made) return tl::unexpected(made.error());
  auto into = new_file::create(path_of(name.text()));
  if (!into) return tl::unexpected(into.error());
  base::sha256_stream hash;
  base::expected<void> written;
  const auto found = from.read(name, std::nullopt, [&](std::string_view piece) {
    hash.add(piece);
    written = into->append(piece);
    return written.has_value();
  });
  if (!written) return tl::unexpected(written.error());
  if (!found) return tl::unexpected(found.error());
  if (!*found) return false;
  into->keep();
  files_.insert_or_assign(
      name.text(), backup_file{name.text(), into->size_bytes(), base::hexadecimal(hash.digest())});
  return true;
}

base::expected<void> new_backup::add_text(const std::string& name, std::string_view text) {
  const base::as_invoker self;
  auto into = new_file::create(path_of(name));
  if (!into) return tl::unexpected(into.error());
  if (auto written = into->append(text); !written) return written;
  into->keep();
  return add_own(name);
}

base::expected<void> new_backup::add_own(const std::string& name) {
  const base::as_invoker self;
  const auto file = open_regular(path_of(name));
  if (!file) return tl::unexpected(file.error());
  if (!*file)
    return base::fail(base::errc::store_failed, path_of(name) + ": another process removed it");
  return digest((*file)->get(), path_of(name), name);
}

void new_backup::drop(const std::string& name) {
  files_.erase(name);
  remove_file(name);
}

void new_backup::remove_file(const std::string& name) const {
  const base::as_invoker self;
  ::unlink(path_of(name).c_str());
}

base::expected<void> new_backup::sync_all() const {
  const base::file_descriptor folder{::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  // All files and folders at once: one by one, each would wait for the disk.
  if (folder && ::syncfs(folder.get()) == 0) return {};
  return base::io_failure(folder_, "sync the folder", errno, base::errc::store_failed);
}

base::expected<backup_manifest> new_backup::complete(backup_manifest manifest) {
  const base::as_invoker self;
  manifest.files.clear();
  for (const auto& [name, facts] : files_)
    manifest.files.push_back(facts);
  auto done = sync_all();
  if (done) done = manifest_.append(render_manifest(manifest));
  if (done) done = manifest_.sync();
  if (done) done = manifest_.rename_to(path_of(manifest_name));
  if (!done) return tl::unexpected(done.error());
  const auto parent = fs::path{folder_}.parent_path();
  done = base::sync_directory(folder_);
  if (done) done = base::sync_directory(parent.empty() ? "." : parent.string());
  if (!done) return tl::unexpected(done.error());
  is_whole_ = true;
  return manifest;
}

} // namespace matchcloud::store
