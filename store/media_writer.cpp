#include "store/media_writer.hpp"

#include "base/file_descriptor.hpp"
#include "base/io_failure.hpp"
#include "store/data_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace matchcloud::store {

namespace {

tl::unexpected<base::error> failure(std::string_view path, std::string_view operation, int code) {
  return base::io_failure(path, operation, code, base::errc::store_failed);
}

bool has_size(const std::string& path, std::size_t bytes) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::size_t>(found.st_size) == bytes;
}

base::expected<void> write_synced(const std::string& path, std::string_view bytes) {
  const base::file_descriptor file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!file) return failure(path, "create the file", errno);
  while (!bytes.empty()) {
    const auto written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return failure(path, "write the file", errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0) return failure(path, "sync the file", errno);
  return {};
}

} // namespace

base::expected<media_writer> media_writer::open(std::string data_dir) {
  remove_leftovers(data_dir);
  auto folder = temporary_folder::make(data_dir);
  if (!folder) return tl::unexpected(folder.error());
  return media_writer{std::move(data_dir), *std::move(folder)};
}

base::expected<void> media_writer::put(const image_key& key, std::string_view bytes) {
  const auto path = media_path(data_dir_, key);
  const auto parent = path.substr(0, path.rfind('/'));
  // Also where it is there: another process may have renamed it and not synced yet.
  unsynced_.insert(parent);
  if (has_size(path, bytes.size())) return {};
  if (auto made = make_data_directory(parent); !made) return made;
  const auto aside = folder_.path() + "/" + std::to_string(++written_);
  auto written = write_synced(aside, bytes);
  if (written && ::rename(aside.c_str(), path.c_str()) != 0)
    written = failure(path, "rename into place", errno);
  if (!written) ::unlink(aside.c_str());
  return written;
}

base::expected<void> media_writer::sync_names() {
  for (const auto& folder : std::exchange(unsynced_, {}))
    if (auto synced = sync_directory(folder); !synced) return synced;
  return {};
}

} // namespace matchcloud::store
