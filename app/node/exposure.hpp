#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"

#include <string>
#include <vector>

namespace matchcloud::app {

/// Refuses listeners beyond this machine that anybody may use, unless that is said, or that would
/// take an operator's token without TLS. Fails with `config_invalid`.
base::expected<void> check_exposure(const serve_config& config);

/// What may be configured by mistake about listeners that are not refused, as sentences for the
/// log. `data`: those of the data plane, with the ports that were bound if they are.
std::vector<std::string> exposure_warnings(const serve_config& config,
                                           const std::vector<data_listener>& data);

/// Where clients on this machine reach a listener.
std::string url_of(const data_listener& listener);

} // namespace matchcloud::app
