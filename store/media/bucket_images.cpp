#include "store/media/bucket_images.hpp"

#include "model/avatars/image_content.hpp"
#include "store/objects/object_file.hpp"

#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

/// How many images are remembered to exist.
constexpr std::size_t sizes_limit = 65'536;
/// When there are this many entries, those of images no longer in use are removed.
constexpr std::size_t files_swept_at = 4'096;

} // namespace

bucket_images::bucket_images(std::shared_ptr<object_store> in, objects_delivery delivery,
                             base::byte_budget& budget)
    : in_{std::move(in)}, delivery_{delivery}, budget_{&budget}, sizes_{sizes_limit} {}

base::expected<opened_image> bucket_images::open(const image_key& key) {
  return delivery_ == objects_delivery::redirect ? link(key) : fetch(key);
}

base::expected<opened_image> bucket_images::link(const image_key& key) {
  if (const auto size = size_of(key); !size) return tl::unexpected(size.error());
  object_link what;
  what.content_type = model::media_type(key.name.type);
  what.disposition = image_disposition(key);
  auto links = link_for_downloads(*in_, object_of(key), std::move(what));
  if (!links) return tl::unexpected(links.error());
  return opened_image{nullptr, *std::move(links)};
}

base::expected<opened_image> bucket_images::fetch(const image_key& key) {
  {
    const std::lock_guard lock{mutex_};
    const auto found = files_.find(key);
    auto shared = found == files_.end() ? nullptr : found->second.lock();
    if (shared) return opened_image{std::move(shared)};
  }
  const auto size = size_of(key);
  if (!size) return tl::unexpected(size.error());
  if (*size > model::image_limit_bytes)
    return base::fail(base::errc::store_failed, object_of(key).text() +
                                                    ": is not an image: it has " +
                                                    std::to_string(*size) + " bytes");
  const auto file =
      object_file::open(in_, object_of(key), *size, {}, *budget_, model::image_limit_bytes);
  if (!file) return tl::unexpected(file.error());
  auto fetched = (*file)->fetch(0, *size);
  const std::lock_guard lock{mutex_};
  if (!fetched) {
    // A damaged image may have been replaced, so the next request checks again.
    sizes_.erase(key);
    return tl::unexpected(std::move(fetched).error());
  }
  if (files_.size() >= files_swept_at)
    std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
  files_[key] = *file;
  return opened_image{*file};
}

base::expected<std::uint64_t> bucket_images::size_of(const image_key& key) {
  {
    const std::lock_guard lock{mutex_};
    if (const auto* size = sizes_.get(key)) return *size;
  }
  const auto found = in_->stat(object_of(key));
  if (!found) return tl::unexpected(found.error());
  if (!*found) return tl::unexpected{image_not_found()};
  const std::lock_guard lock{mutex_};
  sizes_.put(key, (*found)->size_bytes, 1);
  return (*found)->size_bytes;
}

std::size_t bucket_images::known() const {
  const std::lock_guard lock{mutex_};
  return files_.size();
}

} // namespace matchcloud::store
