#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace matchcloud::base {

/// All that an open file has, of any type, or its first `limit_bytes` + 1 bytes if there are more.
/// Nothing on a failure, of which `errno` gives the reason. Waits for the file.
std::optional<std::string> read_bounded(int file, std::size_t limit_bytes);

} // namespace matchcloud::base
