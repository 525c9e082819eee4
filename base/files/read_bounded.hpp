#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace matchcloud::base {

/// The whole content of an open file of any type, or its first `limit_bytes` + 1 bytes if it is
/// longer. Nothing on failure; `errno` then has the reason. Waits for the file.
std::optional<std::string> read_bounded(int file, std::size_t limit_bytes);

} // namespace matchcloud::base
