#pragma once

#include "app/config/config.hpp"
#include "base/expected.hpp"

#include <string>
#include <vector>

namespace matchcloud::app {

/// Refuses listeners beyond this machine that anybody may use, unless insecure-open allows it, or
/// that would accept an operator's token without TLS. Fails with `config_invalid`.
base::expected<void> check_exposure(const serve_config& config);

/// Probable mistakes in the configuration of accepted listeners, as sentences for the log. `data`:
/// the listeners of the data plane, with the bound ports if they are bound.
std::vector<std::string> exposure_warnings(const serve_config& config,
                                           const std::vector<data_listener>& data);

/// Where clients on this machine reach a listener.
std::string url_of(const data_listener& listener);

} // namespace matchcloud::app
