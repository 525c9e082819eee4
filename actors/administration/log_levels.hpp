#pragma once

#include "actors/administration/perform.hpp"
#include "base/events/log_event.hpp"
#include "base/expected.hpp"

#include <string>
#include <string_view>

namespace matchcloud::actors {

/// `{"in_force":{"service":"info",..},"configured":{..}}`, with all subjects.
std::string render_log_levels();

/// Reads `{"store":"debug"}`: subjects that are left out have the level in `others`. Fails with
/// `query_invalid`.
base::expected<base::log_levels> parse_log_levels(std::string_view json, base::log_levels others);

/// Applies the levels in `json` and writes an entry of the audit log. Returns the levels as
/// `render_log_levels` does, or throws `base::failure`. If the store cannot be written to, the
/// levels are applied all the same, because that problem may be the reason for the change; the log
/// says so.
std::string change_log_levels(const administration_call& in, std::string_view json);

} // namespace matchcloud::actors
