#pragma once

#include "actors/administration/administration_settings.hpp"
#include "actors/administration/messages.hpp"
#include "base/expected.hpp"

#include <cstdint>

namespace matchcloud::actors {

/// Performs a request about the data of games. Waits for the store and for the images.
base::expected<administration_outcome> perform(const administration_settings& with,
                                               const administer_data& request, std::int64_t now_ms);

} // namespace matchcloud::actors
