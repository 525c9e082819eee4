#pragma once

#include "base/config_row.hpp"
#include "http/limits/limits.hpp"

namespace matchcloud::http {

/// Of requests, connections and their memory.
base::config_rows<limits> limit_keys();
base::config_rows<limits> timeout_keys();
/// Of how much may wait for actors.
base::config_rows<limits> mailbox_keys();
/// Of what counts as one client.
base::config_rows<limits> client_keys();

} // namespace matchcloud::http
