#pragma once

#include "base/config_row.hpp"
#include "store/database.hpp"
#include "store/engines/store_place.hpp"

namespace matchcloud::store {

/// Of the data directory.
base::config_rows<store_place> data_keys();
/// Of a store in PostgreSQL.
base::config_rows<store_place> server_keys();
/// Of the sessions of a store in PostgreSQL; the embedded one has bounds of its own.
base::config_rows<session_limits> session_keys();
/// Of images and exports in a bucket.
base::config_rows<store_place> bucket_keys();

} // namespace matchcloud::store
