#include "store/media/images.hpp"

#include "base/failure.hpp"
#include "model/avatars/image_content.hpp"
#include "store/objects/object_file.hpp"

#include <string>
#include <utility>

namespace matchcloud::store {

void image_source::show(base::metric_set& in) const {
  in.add_gauge({"matchcloud_media_open_files", "Image files that are open or were open recently."},
               [this] { return known(); });
}

base::error image_not_found() {
  return {base::errc::media_not_found,
          "No image has this upload_id and name. List the game's avatars again: their urls are "
          "those of the existing images."};
}

base::error too_many_images_open() {
  return {base::errc::overloaded, "Too many images are open. Retry later."};
}

namespace {

using base::value_of;

/// How many images are remembered to be referred to, and how many to exist.
constexpr std::size_t known_images_limit = 65'536;

} // namespace

referred_images::referred_images(std::shared_ptr<image_source> all, std::shared_ptr<database> in,
                                 std::chrono::milliseconds replaced_for)
    : all_{std::move(all)},
      in_{std::move(in)},
      replaced_for_{replaced_for},
      referred_{known_images_limit} {}

base::expected<opened_image> referred_images::open(const image_key& key) {
  if (!is_referred(key)) return tl::unexpected{image_not_found()};
  return all_->open(key);
}

bool referred_images::is_referred(const image_key& key) {
  const auto now = forgotten_.load();
  {
    const std::lock_guard lock{mutex_};
    // What was noted before the last call of `forget` does not count.
    if (const auto* noted = referred_.get(key); noted != nullptr && *noted == now) return true;
  }
  const auto found =
      in_->avatars().and_then([&](const auto& in) { return in->has_image(key, replaced_for_); });
  // While the store cannot be reached, images are served as before.
  if (!found) return true;
  if (!*found) return false;
  const std::lock_guard lock{mutex_};
  referred_.put(key, now, 1);
  return true;
}

void referred_images::forget() noexcept {
  ++forgotten_;
  all_->forget();
}

stored_images::stored_images(std::shared_ptr<object_store> in, objects_delivery delivery,
                             base::byte_budget& budget, std::size_t open_limit)
    : in_{std::move(in)},
      delivery_{delivery},
      budget_{&budget},
      open_limit_{open_limit},
      sizes_{known_images_limit} {}

base::expected<opened_image> stored_images::open(const image_key& key) {
  return base::attempt([&] {
    if (!in_->is_local() && delivery_ == objects_delivery::redirect) return link(key);
    std::unique_lock lock{mutex_};
    if (const auto found = files_.find(key); found != files_.end())
      if (auto shared = found->second.lock()) return opened_image{std::move(shared)};
    // A file is opened under the lock, so that of two concurrent requests one opens it.
    if (in_->is_local()) return share(key, value_of(in_->open_local(object_of(key))));
    lock.unlock();
    auto fetched = fetch(key);
    lock.lock();
    return share(key, std::move(fetched));
  });
}

opened_image stored_images::share(const image_key& key, file_ptr opened) {
  if (!opened) throw base::failure{image_not_found()};
  files_.erase(key);
  if (files_.size() >= open_limit_)
    std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
  // The budget bounds what is in memory.
  if (in_->is_local() && files_.size() >= open_limit_) throw base::failure{too_many_images_open()};
  files_[key] = opened;
  return opened_image{std::move(opened)};
}

opened_image stored_images::link(const image_key& key) {
  size_of(key);
  object_link what;
  what.content_type = model::media_type(key.name.type);
  what.disposition = image_disposition(key);
  return {nullptr, value_of(link_for_downloads(*in_, object_of(key), std::move(what)))};
}

stored_images::file_ptr stored_images::fetch(const image_key& key) {
  const auto name = object_of(key);
  const auto size = size_of(key);
  if (size > model::image_limit_bytes)
    throw base::failure{base::errc::store_failed, "{}: is not an image: it has {} bytes",
                        name.text(), size};
  auto file = value_of(object_file::open(in_, name, size, {}, *budget_, model::image_limit_bytes));
  if (auto fetched = file->fetch(0, size); !fetched) {
    // A damaged image may have been replaced, so the next request checks again.
    const std::lock_guard lock{mutex_};
    sizes_.erase(key);
    throw base::failure{fetched.error()};
  }
  return file;
}

std::uint64_t stored_images::size_of(const image_key& key) {
  {
    const std::lock_guard lock{mutex_};
    if (const auto* size = sizes_.get(key)) return *size;
  }
  const auto found = value_of(in_->stat(object_of(key)));
  if (!found) throw base::failure{image_not_found()};
  const std::lock_guard lock{mutex_};
  sizes_.put(key, found->size_bytes, 1);
  return found->size_bytes;
}

std::size_t stored_images::known() const {
  const std::lock_guard lock{mutex_};
  return files_.size();
}

base::expected<void> put_image(object_store& into, const image_key& key, std::string_view bytes) {
  return base::attempt([&] {
    const auto name = object_of(key);
    const auto is_stored = [&, type = std::string{model::media_type(key.name.type)}] {
      return value_of(into.put_new(name, bytes, type)) == object_outcome::stored;
    };
    if (is_stored()) return;
    const auto found = value_of(into.stat(name));
    if (found && found->size_bytes == bytes.size()) return;
    value_of(into.remove(name));
    if (!is_stored())
      throw base::failure{base::errc::store_failed,
                          "{}: something other than an image has this name; remove it",
                          name.text()};
  });
}

} // namespace matchcloud::store
