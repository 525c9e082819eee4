#pragma once

#include "model/avatars/image_name.hpp"
#include "model/text/uuid.hpp"
#include "store/object_name.hpp"

#include <cstddef>
#include <string>

namespace matchcloud::store {

/// Names one stored image.
struct image_key {
  model::uuid upload_id;
  model::image_name name;

  friend bool operator==(const image_key&, const image_key&) = default;
};

struct image_key_hash {
  std::size_t operator()(const image_key& key) const noexcept;
};

/// The folder that holds all images.
object_name images_folder();

/// The name of an image as an object: `media/XX/UPLOAD_ID.FILE_NAME`, where XX are the last two
/// digits of the digest. Built from the typed values alone, so no client-supplied text gets into
/// it.
object_name object_of(const image_key& key);

/// The `Content-Disposition` of an image's download.
std::string image_disposition(const image_key& key);

} // namespace matchcloud::store
