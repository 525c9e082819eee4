#pragma once

#include "base/expected.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstdint>

namespace matchcloud::store {

/// The schema version that this program writes (SQLite's `user_version`).
std::int64_t newest_schema() noexcept;

/// The database's schema version, 0 where it is new. Fails with `store_newer` where a newer program
/// wrote it, with `store_failed` where the file is another program's database; reads only.
base::expected<std::int64_t> check_schema(connection& on);

/// Brings the schema up to date, or only to the version `up_to` (for tests of what follows it), a
/// transaction per version. Several processes may try at once: each version is applied by one of
/// them. Fails like `check_schema`.
base::expected<void> migrate(connection& on, std::int64_t up_to = newest_schema());

} // namespace matchcloud::store
