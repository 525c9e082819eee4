#pragma once

#include "base/config_row.hpp"
#include "store/database.hpp"
#include "store/engines/store_place.hpp"

namespace matchcloud::store {

/// Keys of the data directory.
base::config_rows<store_place> data_keys();
/// Keys of a store in PostgreSQL.
base::config_rows<store_place> server_keys();
/// Keys of the sessions of a store in PostgreSQL; the embedded store has its own bounds.
base::config_rows<session_limits> session_keys();
/// Keys of images and exports in a bucket.
base::config_rows<store_place> bucket_keys();

} // namespace matchcloud::store
