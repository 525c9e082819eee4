#pragma once

#include "base/expected.hpp"
#include "store/postgres/postgres.hpp"

#include <cstdint>

namespace matchcloud::store {

/// The schema version that this program makes.
std::int64_t newest_postgres_schema() noexcept;

/// Creates the schema and migrates it to the newest version, under an advisory lock, so that of
/// several programs that try at once one does each step. A schema that is newer stays as it is and
/// is used, unless it says that a program as old as this one must not: then fails with
/// `store_newer`.
base::expected<void> migrate(postgres_connection& on);

/// Whether the schema is for this program. Fails with `store_newer` if it is for newer ones only.
base::expected<void> check_schema(postgres_connection& on);

} // namespace matchcloud::store
