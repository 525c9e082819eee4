#pragma once

#include "http/limits/limits.hpp"

#include <cstddef>

namespace matchcloud::app {

/// Raises the soft limit of descriptors to the hard limit and returns it.
std::size_t raise_descriptor_limit();

/// How many images may be open at once, out of `all` descriptors.
std::size_t media_descriptors(std::size_t all);
/// How many exports may be open at once, out of `all` descriptors; each is a plain and a compressed
/// file.
std::size_t open_exports(std::size_t all);

/// Lowers the connection limit to what `all`, the descriptors of the whole process, allow.
http::limits bounded_by_descriptors(http::limits limits, std::size_t all);

/// Raises the descriptor limit and returns `configured`, bounded by it; preallocates the kernel's
/// descriptor table. Call before any thread is started.
http::limits prepared(const http::limits& configured);

} // namespace matchcloud::app
