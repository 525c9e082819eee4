#pragma once

#include "store/postgres/postgres.hpp"
#include "store/sql/schema_versions.hpp"

namespace matchcloud::store {

/// The versions of the schema that this program knows.
const schema_versions& postgres_schema() noexcept;

/// Creates the schema and migrates it to the newest version, under an advisory lock, so that of
/// several programs that try at once one does each step. A newer schema stays as it is and is used,
/// unless it excludes programs as old as this one: then throws `store_newer`. Throws
/// `store_failed` if the schema was never released.
void migrate(postgres_connection& on, const schema_versions& known = postgres_schema());

/// Whether the schema exists, in any version. Throws `store_failed`.
bool has_schema(postgres_connection& on);

/// Checks that this program can use the schema. Throws like `migrate`.
void check_schema(postgres_connection& on);
/// Also checks that it is not older than the program's; otherwise throws `store_failed`.
void check_is_newest(postgres_connection& on);

} // namespace matchcloud::store
