#pragma once

#include "base/expected.hpp"

#include <string_view>

namespace matchcloud::model {

/// Whether paths can be put behind a URL: http:// or https://, a host, no slash at the end, nothing
/// behind a path. Fails with `config_invalid`, with a detail where there is a user in it.
base::expected<void> check_base_url(std::string_view url);

} // namespace matchcloud::model
