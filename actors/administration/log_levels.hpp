#pragma once

#include "actors/administration/administration_settings.hpp"
#include "actors/administration/messages.hpp"
#include "base/events/log_event.hpp"
#include "base/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace matchcloud::actors {

/// `{"in_force":{"service":"info",..},"configured":{..}}`, with all subjects.
std::string render_log_levels();

/// Reads `{"store":"debug"}`: subjects that are left out have the level in `others`. Fails with
/// `query_invalid`.
base::expected<base::log_levels> parse_log_levels(std::string_view json, base::log_levels others);

/// Applies levels and writes an entry of the audit log. If the store cannot be written to, the
/// levels are applied all the same, because that problem may be the reason for the change; the log
/// says so.
base::expected<administration_outcome>
perform(const administration_settings& with, const change_log_levels& request, std::int64_t now_ms);

} // namespace matchcloud::actors
