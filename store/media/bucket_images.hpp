#pragma once

#include "base/byte_budget.hpp"
#include "base/second_chance_cache.hpp"
#include "store/media/image_source.hpp"
#include "store/object_store.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace matchcloud::store {

/// The images of a bucket. Images found there are remembered, because they are never removed while
/// avatars refer to them. One per process.
class bucket_images final : public image_source {
public:
  /// `budget` lends the memory of images that the service passes on, and must outlive all of them.
  bucket_images(std::shared_ptr<object_store> in, objects_delivery delivery,
                base::byte_budget& budget);

  base::expected<opened_image> open(const image_key& key) override;
  /// With `through`, the images in memory.
  std::size_t known() const override;

private:
  using file_ptr = std::shared_ptr<const base::open_file>;

  base::expected<opened_image> link(const image_key& key);
  base::expected<opened_image> fetch(const image_key& key);
  /// The image's size. Fails with `media_not_found`.
  base::expected<std::uint64_t> size_of(const image_key& key);

  std::shared_ptr<object_store> in_;
  objects_delivery delivery_;
  base::byte_budget* budget_;
  mutable std::mutex mutex_;
  /// The sizes of images that exist. Each entry costs 1.
  base::second_chance_cache<image_key, std::uint64_t, image_key_hash> sizes_;
  /// The images in use.
  std::unordered_map<image_key, std::weak_ptr<const base::open_file>, image_key_hash> files_;
};

} // namespace matchcloud::store
