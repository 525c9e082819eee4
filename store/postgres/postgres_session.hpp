#pragma once

#include "store/open_store.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/sql.hpp"

#include <memory>

namespace matchcloud::store {

/// Opens a connection after checking the settings. Throws `config_invalid` or `store_failed`.
std::unique_ptr<postgres_connection> open_checked(const postgres_settings& settings);

/// Opens a connection for copying the store whole. Throws what `open_postgres` fails with, and
/// `store_newer` if the schema is newer at all.
std::unique_ptr<sql_connection> open_postgres_connection(const postgres_settings& settings);

} // namespace matchcloud::store
