#pragma once

#include "base/expected.hpp"

#include <string>

namespace matchcloud::base {

/// Makes the names in a directory survive a power cut. Fails with `store_failed`.
expected<void> sync_directory(const std::string& path);

} // namespace matchcloud::base
