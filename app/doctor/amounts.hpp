#pragma once

#include <cstdint>
#include <string>

namespace matchcloud::app {

/// A number of bytes for people, such as `512 MiB`: three digits at most, rounded down.
std::string shown_bytes(std::uint64_t bytes);

} // namespace matchcloud::app
