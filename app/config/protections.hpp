#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"

#include <vector>

namespace matchcloud::app {

/// Refuses a configuration that ends a protection of `before`, because `wanted` no longer has its
/// key: tokens, limits of clients, trusted proxies; or that has no value from a file any more,
/// although `before` had some. A weaker value that is written out is accepted. Fails with
/// `config_invalid`, naming each key and the line that confirms its default.
base::expected<void> check_protections(const std::vector<given_value>& before,
                                       const std::vector<given_value>& wanted);

} // namespace matchcloud::app
