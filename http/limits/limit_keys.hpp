#pragma once

#include "base/config_row.hpp"
#include "http/limits/limits.hpp"

namespace matchcloud::http {

/// Keys for requests, connections and their memory.
base::config_rows<limits> limit_keys();
base::config_rows<limits> timeout_keys();
/// Keys for the requests that may wait for actors.
base::config_rows<limits> mailbox_keys();
/// Keys for what counts as one client.
base::config_rows<limits> client_keys();

} // namespace matchcloud::http
