#pragma once

#include "base/expected.hpp"

#include <string>

namespace matchcloud::base {

/// Syncs a directory, so that the names in it survive a power failure. Fails with `store_failed`.
expected<void> sync_directory(const std::string& path);

} // namespace matchcloud::base
