#pragma once

#include "base/expected.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/schema_versions.hpp"

namespace matchcloud::store {

/// The versions of the schema that this program knows.
const schema_versions& postgres_schema() noexcept;

/// Creates the schema and migrates it to the newest version, under an advisory lock, so that of
/// several programs that try at once one does each step. A schema that is newer stays as it is and
/// is used, unless it says that a program as old as this one must not: then fails with
/// `store_newer`. Fails with `store_failed` if the schema was never released.
base::expected<void> migrate(postgres_connection& on,
                             const schema_versions& known = postgres_schema());

/// Whether the schema is there, whatever its version. Fails with `store_failed`.
base::expected<bool> has_schema(postgres_connection& on);

/// Whether the schema is for this program. Fails like `migrate`.
base::expected<void> check_schema(postgres_connection& on);

} // namespace matchcloud::store
