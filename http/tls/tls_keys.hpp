#pragma once

#include "base/config_row.hpp"
#include "http/tls/tls_material.hpp"

namespace matchcloud::http {

/// Keys for the files of TLS listeners.
base::config_rows<tls_files> tls_keys();

} // namespace matchcloud::http
