#include "store/files/media_files.hpp"

#include "store/files/immutable_file.hpp"

#include <fcntl.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace matchcloud::store {

namespace {

tl::unexpected<base::error> not_found() {
  return base::fail(base::errc::media_not_found,
                    "No image has this upload_id and name. List the game's avatars again: their "
                    "urls are the images that there are.");
}

tl::unexpected<base::error> too_many_open() {
  return base::fail(base::errc::overloaded,
                    "As many images are open as the service takes. Try again later.");
}

constexpr open_refusals refusals{not_found, too_many_open, "open an image"};

} // namespace

std::size_t image_key_hash::operator()(const image_key& key) const noexcept {
  std::uint64_t digest = 0;
  std::memcpy(&digest, key.name.digest.data(), sizeof digest);
  return std::hash<model::uuid>{}(key.upload_id) ^ static_cast<std::size_t>(digest);
}

std::string media_path(const std::string& data_dir, const image_key& key) {
  const auto digest = model::digest_text(key.name);
  return data_dir + "/media/" + digest.substr(digest.size() - 2) + "/" +
         model::to_string(key.upload_id) + "." + model::to_string(key.name);
}

media_files::media_files(std::string data_dir, std::size_t open_limit)
    : data_dir_{std::move(data_dir)}, open_limit_{open_limit} {}

base::expected<media_files::file_ptr> media_files::open(const image_key& key) {
  // Held while the file is opened, so that of two concurrent requests one opens it and both share
  // it.
  const std::lock_guard lock{mutex_};
  if (const auto found = files_.find(key); found != files_.end()) {
    if (auto shared = found->second.lock()) return shared;
    files_.erase(found);
  }
  if (files_.size() >= open_limit_)
    std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
  if (files_.size() >= open_limit_) return too_many_open();
  auto opened = open_anew(key);
  if (opened) files_.emplace(key, *opened);
  return opened;
}

base::expected<media_files::file_ptr> media_files::open_anew(const image_key& key) const {
  return open_immutable(AT_FDCWD, media_path(data_dir_, key).c_str(), refusals);
}

std::size_t media_files::known() const {
  const std::lock_guard lock{mutex_};
  return files_.size();
}

} // namespace matchcloud::store
