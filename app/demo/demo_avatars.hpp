#pragma once

#include "base/expected.hpp"
#include "store/avatar_store.hpp"
#include "store/files/media_writer.hpp"

namespace matchcloud::app {

/// Gives the demo game five avatars, the same every time: three with images that it draws, two not
/// completely uploaded. True if any of it was news.
base::expected<bool> seed_demo_avatars(store::avatar_store& into, store::media_writer& media);

} // namespace matchcloud::app
