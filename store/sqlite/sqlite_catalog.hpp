#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstdint>

namespace matchcloud::store {

base::expected<std::int64_t> read_catalog_revision(connection& on);

base::expected<void> write_catalog_revision(connection& on, std::int64_t revision);

/// The whole catalog in order, without what is removed. Belongs in a transaction: it is several
/// queries.
base::expected<model::catalog> read_catalog(connection& on);

/// Writes what `after` has that `before`, the stored catalog, has not, and the revision of `after`.
/// What was removed comes back with it; `check_returning` must have passed. Belongs in the write
/// transaction that read `before`.
base::expected<void> write_catalog(connection& on, const model::catalog& before,
                                   const model::catalog& after);

} // namespace matchcloud::store
