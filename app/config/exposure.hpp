#pragma once

#include "app/config/config.hpp"

namespace matchcloud::app {

/// Refuses listeners beyond this machine that anybody may use, unless that is said, or that would
/// take an operator's token without TLS. Fails with `config_invalid`.
base::expected<void> check_exposure(const serve_config& config);

} // namespace matchcloud::app
