#pragma once

#include "base/events/log_event.hpp"
#include "base/expected.hpp"

#include <string>
#include <string_view>

namespace matchcloud::actors {

/// `{"service":"info",..}`, with all subjects.
std::string to_json(const base::log_levels& levels);

/// `{"in_force":{"service":"info",..},"configured":{..}}`, of this process.
std::string render_log_levels();

/// Reads `{"store":"debug"}`: subjects that are left out have the level in `others`. Fails with
/// `query_invalid`.
base::expected<base::log_levels> parse_log_levels(std::string_view json, base::log_levels others);

} // namespace matchcloud::actors
