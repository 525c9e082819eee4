#pragma once

#include "store/sql/schema_versions.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstdint>

namespace matchcloud::store {

/// The versions of the schema (SQLite's `user_version`) that this program knows.
const schema_versions& sqlite_schema() noexcept;

/// The database's schema version; 0 if it is new. A newer program's schema is used as it is, unless
/// it excludes programs as old as this one: then throws `store_newer`. Throws `store_failed` if the
/// file is another program's database or has a version that was never released. Only reads.
std::int64_t check_schema(sqlite_connection& on, const schema_versions& known = sqlite_schema());

/// Migrates the schema to the newest version, in one transaction per version. Several processes may
/// try at the same time: each version is applied by one of them. Throws like `check_schema`.
void migrate(sqlite_connection& on, const schema_versions& known = sqlite_schema());

} // namespace matchcloud::store
