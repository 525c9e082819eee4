#include "store/media/image_source.hpp"

namespace matchcloud::store {

void image_source::show(base::metric_set& in) const {
  in.add_gauge({"matchcloud_media_open_files", "Image files that are open, or were until lately."},
               [this] { return known(); });
}

base::error image_not_found() {
  return {base::errc::media_not_found,
          "No image has this upload_id and name. List the game's avatars again: their urls are the "
          "images that there are."};
}

base::error too_many_images_open() {
  return {base::errc::overloaded, "As many images are open as the service takes. Try again later."};
}

} // namespace matchcloud::store
