#pragma once

#include "base/expected.hpp"
#include "store/avatar_store.hpp"
#include "store/object_store.hpp"

#include <cstdint>

namespace matchcloud::app {

/// Adds five avatars to the demo game, created in the 31 days before `until_ms` (milliseconds since
/// 1970) and otherwise the same every time: three with images, two whose upload is incomplete. True
/// if anything changed.
base::expected<bool> seed_demo_avatars(store::avatar_store& into, store::object_store& images,
                                       std::int64_t until_ms);

} // namespace matchcloud::app
