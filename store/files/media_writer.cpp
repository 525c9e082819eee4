#include "store/files/media_writer.hpp"

#include "base/sync_directory.hpp"
#include "store/files/data_directory.hpp"
#include "store/files/new_file.hpp"

#include <sys/stat.h>

#include <utility>

namespace matchcloud::store {

namespace {

bool has_size(const std::string& path, std::size_t bytes) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::size_t>(found.st_size) == bytes;
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
  // Sync even if the file exists: another process may have renamed it without having synced yet.
  unsynced_.insert(parent);
  if (has_size(path, bytes.size())) return {};
  if (auto made = make_data_directory(parent); !made) return made;
  auto file = new_file::create(folder_.path() + "/" + std::to_string(++written_));
  if (!file) return tl::unexpected(file.error());
  return file->append(bytes).and_then([&] { return file->sync(); }).and_then([&] {
    return file->rename_to(path);
  });
}

base::expected<void> media_writer::sync_names() {
  for (const auto& folder : std::exchange(unsynced_, {}))
    if (auto synced = base::sync_directory(folder); !synced) return synced;
  return {};
}

} // namespace matchcloud::store
