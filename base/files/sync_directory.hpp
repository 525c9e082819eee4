#pragma once

#include "base/expected.hpp"

#include <string>

namespace matchcloud::base {

/// Syncs a directory, so that the names in it survive a power failure. Does nothing where the file
/// system cannot do that (fsync(2) fails with EINVAL). Fails with `store_failed`.
expected<void> sync_directory(const std::string& path);

} // namespace matchcloud::base
