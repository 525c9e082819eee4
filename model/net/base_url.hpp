#pragma once

#include "base/expected.hpp"

#include <string_view>

namespace matchcloud::model {

/// Checks that paths can be appended to a URL: it has http:// or https://, a host, no slash at the
/// end, and no query or fragment. Fails with `config_invalid`, with a detail if it has a user name.
base::expected<void> check_base_url(std::string_view url);

} // namespace matchcloud::model
