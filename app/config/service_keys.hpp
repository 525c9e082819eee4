#pragma once

#include "app/config/config.hpp"

namespace matchcloud::app {

/// Of where and how the service listens.
base::config_rows<serve_config> listening_keys();
base::config_rows<serve_config> geoip_keys();
/// Of how the process starts.
base::config_rows<serve_config> start_keys();
/// Of how it ends, and of its loops.
base::config_rows<serve_config> process_keys();
base::config_rows<serve_config> log_keys();
base::config_rows<serve_config> trace_keys();
/// Of faults that are injected on purpose.
base::config_rows<serve_config> fault_keys();

} // namespace matchcloud::app
