#pragma once

#include "base/expected.hpp"
#include "base/files/open_file.hpp"
#include "base/metrics.hpp"
#include "store/image_key.hpp"
#include "store/objects/object_links.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

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

} // namespace matchcloud::store
