#pragma once

#include "base/expected.hpp"
#include "store/image_key.hpp"
#include "store/object_store.hpp"

#include <string_view>

namespace matchcloud::store {

/// Stores an image under its name. An existing object of that name stays, unless its size differs,
/// so that it cannot be the image. Fails with `store_failed` if such an object cannot be replaced,
/// and like `object_store::put_new`. Any thread that may wait.
base::expected<void> put_image(object_store& into, const image_key& key, std::string_view bytes);

} // namespace matchcloud::store
