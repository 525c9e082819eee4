#pragma once

#include "base/expected.hpp"
#include "store/avatar_store.hpp"
#include "store/object_store.hpp"

namespace matchcloud::app {

/// Adds five avatars to the demo game, the same every time: three with images that it draws, two
/// whose upload is incomplete. True if anything changed.
base::expected<bool> seed_demo_avatars(store::avatar_store& into, store::object_store& images);

} // namespace matchcloud::app
