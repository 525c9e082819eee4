#include "store/media/media_files.hpp"

#include "store/files/immutable_file.hpp"

#include <fcntl.h>

#include <utility>

namespace matchcloud::store {

namespace {

tl::unexpected<base::error> not_found() {
  return tl::unexpected{image_not_found()};
}

tl::unexpected<base::error> too_many_open() {
  return tl::unexpected{too_many_images_open()};
}

constexpr open_refusals image_refusals{not_found, too_many_open, "open an image"};

} // namespace

std::string media_path(const std::string& data_dir, const image_key& key) {
  return data_dir + "/" + object_of(key).text();
}

media_files::media_files(std::string data_dir, std::size_t open_limit)
    : data_dir_{std::move(data_dir)}, open_limit_{open_limit} {}

base::expected<opened_image> media_files::open(const image_key& key) {
  // Held while the file is opened, so that of two concurrent requests one opens it and both share
  // it.
  const std::lock_guard lock{mutex_};
  if (const auto found = files_.find(key); found != files_.end()) {
    if (auto shared = found->second.lock()) return opened_image{std::move(shared)};
    files_.erase(found);
  }
  if (files_.size() >= open_limit_)
    std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
  if (files_.size() >= open_limit_) return too_many_open();
  auto opened = open_anew(key);
  if (!opened) return tl::unexpected(opened.error());
  files_.emplace(key, *opened);
  return opened_image{*std::move(opened)};
}

base::expected<media_files::file_ptr> media_files::open_anew(const image_key& key) const {
  return open_immutable(AT_FDCWD, media_path(data_dir_, key).c_str(), image_refusals);
}

std::size_t media_files::known() const {
  const std::lock_guard lock{mutex_};
  return files_.size();
}

} // namespace matchcloud::store
