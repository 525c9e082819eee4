#pragma once

#include "base/expected.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstdint>

namespace matchcloud::store {

/// The schema version that this program writes (SQLite's `user_version`).
std::int64_t newest_schema() noexcept;

/// The database's schema version; 0 if it is new. A newer program's is used as it is, unless it
/// says that a program as old as this one must not: then fails with `store_newer`. Fails with
/// `store_failed` if the file is another program's database. Only reads.
base::expected<std::int64_t> check_schema(sqlite_connection& on);

/// Migrates the schema to the newest version, or to `up_to` (for tests of later migrations), in one
/// transaction per version. Several processes may try at the same time: each version is applied by
/// one of them. Fails like `check_schema`.
base::expected<void> migrate(sqlite_connection& on, std::int64_t up_to = newest_schema());

} // namespace matchcloud::store
