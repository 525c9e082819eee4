#pragma once

#include "base/limits.hpp"

#include <cstddef>

namespace matchcloud::app {

/// Raises the soft descriptor limit to the hard one, which is returned.
std::size_t raise_descriptor_limit();

/// Images that may be open at once, of all descriptors.
std::size_t media_descriptors(std::size_t all);
/// Likewise exports, each a plain and a compressed file.
std::size_t open_exports(std::size_t all);

/// Bounds the connections by the descriptors that the process may have, all together.
base::limits bounded_by_descriptors(base::limits limits, std::size_t all);

/// The bounds of this process, whose descriptors are provided for. Call before there are threads.
base::limits prepared(const base::limits& configured);

} // namespace matchcloud::app
