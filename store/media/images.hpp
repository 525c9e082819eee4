#pragma once

#include "base/byte_budget.hpp"
#include "base/expected.hpp"
#include "base/files/open_file.hpp"
#include "base/metrics.hpp"
#include "base/second_chance_cache.hpp"
#include "store/database.hpp"
#include "store/object_name.hpp"
#include "store/object_store.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace matchcloud::store {

/// An image for a download: either its bytes, or where they are.
struct opened_image {
  /// Stays open while it is held. Null if the image is elsewhere.
  std::shared_ptr<const base::open_file> file;
  object_links elsewhere = {};
};

/// The source of images for downloads. Any thread; calls wait for the disk or the network.
class image_source {
public:
  virtual ~image_source() = default;

  /// Opens an image. Fails with `media_not_found`, with `overloaded` or `budget_exhausted` if too
  /// many are open, or with `io_failed` or `store_failed`.
  virtual base::expected<opened_image> open(const image_key& key) = 0;
  /// Discards what is known of images, because some may have been removed.
  virtual void forget() noexcept {}
  /// Grows with each call of `forget`, so that caches of images notice.
  virtual std::uint64_t forgotten() const noexcept { return 0; }
  /// The number of files that are open or were open recently.
  virtual std::size_t known() const = 0;
  void show(base::metric_set& in) const;
};

base::error image_not_found();
base::error too_many_images_open();

/// Those images of another source that avatars have, or had until less than `replaced_for` ago. The
/// image of an avatar that was removed, or whose game is erased, is not found even while it still
/// exists. While the store cannot be reached, all images are served. One per source; any thread.
class referred_images final : public image_source {
public:
  referred_images(std::shared_ptr<image_source> all, std::shared_ptr<database> in,
                  std::chrono::milliseconds replaced_for);

  base::expected<opened_image> open(const image_key& key) override;
  void forget() noexcept override;
  std::uint64_t forgotten() const noexcept override { return forgotten_; }
  std::size_t known() const override { return all_->known(); }

private:
  bool is_referred(const image_key& key);

  std::shared_ptr<image_source> all_;
  std::shared_ptr<database> in_;
  std::chrono::milliseconds replaced_for_;
  std::atomic<std::uint64_t> forgotten_{0};
  std::mutex mutex_;
  /// Images found to belong to avatars since the last call of `forget`. Each costs 1.
  base::second_chance_cache<image_key, std::uint64_t, image_key_hash> referred_;
};

/// The images in a store of objects: files of this machine, one descriptor shared by all readers of
/// each, or objects elsewhere. Those found elsewhere are remembered, because images are never
/// removed while avatars refer to them. One per process; any thread.
class stored_images final : public image_source {
public:
  /// How images elsewhere are delivered. `budget` lends the memory of those that the service passes
  /// on, and must outlive all of them. At most `open_limit` files are open at once.
  stored_images(std::shared_ptr<object_store> in, objects_delivery delivery,
                base::byte_budget& budget, std::size_t open_limit);

  base::expected<opened_image> open(const image_key& key) override;
  std::size_t known() const override;

private:
  using file_ptr = std::shared_ptr<const base::open_file>;

  // These throw like `open`.

  opened_image link(const image_key& key);
  /// Reads an image into memory.
  file_ptr fetch(const image_key& key);
  std::uint64_t size_of(const image_key& key);
  /// `mutex_` must be held. `opened` is null if there is no such image.
  opened_image share(const image_key& key, file_ptr opened);

  std::shared_ptr<object_store> in_;
  objects_delivery delivery_;
  base::byte_budget* budget_;
  std::size_t open_limit_;
  mutable std::mutex mutex_;
  /// The sizes of images that exist elsewhere. Each entry costs 1.
  base::second_chance_cache<image_key, std::uint64_t, image_key_hash> sizes_;
  /// The images in use.
  std::unordered_map<image_key, std::weak_ptr<const base::open_file>, image_key_hash> files_;
};

/// Stores an image under its name. An existing object of that name stays, unless its size differs,
/// so that it cannot be the image. Fails with `store_failed` if such an object cannot be replaced,
/// and like `object_store::put_new`. Any thread that may wait.
base::expected<void> put_image(object_store& into, const image_key& key, std::string_view bytes);

} // namespace matchcloud::store
