#include "store/media/image_source.hpp"

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

} // namespace matchcloud::store
