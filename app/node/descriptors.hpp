#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "http/limits/limits.hpp"

#include <cstddef>

namespace matchcloud::app {

/// Raises the soft limit of descriptors to the hard limit and returns it.
std::size_t raise_descriptor_limit();

/// How many descriptors a service needs to serve a few clients: twice the number that it has
/// without any.
std::size_t descriptors_needed(const serve_config& config);
/// Raises the descriptor limit and checks that it suffices. Fails with `unavailable` and a sentence
/// that says how many are needed and what the limit is.
base::expected<void> check_descriptors(const serve_config& config);

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
