#pragma once

#include "base/config_row.hpp"
#include "http/front/front_settings.hpp"

namespace matchcloud::http {

/// Keys for the prefix of paths.
base::config_rows<front_settings> path_keys();
/// Keys for trusted proxies, and for the pages that may read answers.
base::config_rows<front_settings> page_keys();
/// Keys for access control and rate limits.
base::config_rows<access_settings> access_keys();
/// Keys for times when the store is out of reach.
base::config_rows<store_watch> store_watch_keys();

} // namespace matchcloud::http
