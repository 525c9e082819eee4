#pragma once

#include "base/config_row.hpp"
#include "http/front/front_settings.hpp"

namespace matchcloud::http {

/// Of where paths begin.
base::config_rows<front_settings> path_keys();
/// Of whom the service believes, and which pages may read its answers.
base::config_rows<front_settings> page_keys();
/// Of who may do what, and how often.
base::config_rows<access_settings> access_keys();
/// Of a store that is out of reach.
base::config_rows<store_watch> store_watch_keys();

} // namespace matchcloud::http
