#pragma once

#include "base/expected.hpp"
#include "store/open_postgres.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/sql.hpp"

#include <memory>

namespace matchcloud::store {

/// Opens a connection after checking the settings. Fails with `config_invalid` or `store_failed`.
base::expected<std::unique_ptr<postgres_connection>>
open_checked(const postgres_settings& settings);

/// Opens a connection for copying the store whole. Fails like `open_postgres`, and with
/// `store_newer` if the schema is newer at all.
base::expected<std::unique_ptr<sql_connection>>
open_postgres_connection(const postgres_settings& settings);

} // namespace matchcloud::store
