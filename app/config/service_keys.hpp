#pragma once

#include "app/config/config.hpp"

namespace matchcloud::app {

/// Keys for where and how the service listens.
base::config_rows<serve_config> listening_keys();
base::config_rows<serve_config> geoip_keys();
/// Keys for how the process starts.
base::config_rows<serve_config> start_keys();
/// Keys for how it ends, and for its loops.
base::config_rows<serve_config> process_keys();
base::config_rows<serve_config> log_keys();
base::config_rows<serve_config> trace_keys();
/// Keys for faults that are injected on purpose.
base::config_rows<serve_config> fault_keys();

} // namespace matchcloud::app
