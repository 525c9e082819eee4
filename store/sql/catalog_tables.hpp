#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>

namespace matchcloud::store {

base::expected<std::int64_t> read_catalog_revision(sql_connection& on);

base::expected<void> write_catalog_revision(sql_connection& on, std::int64_t revision);

/// Reads the whole catalog in order, without removed elements. Call this in a transaction, because
/// it runs several queries.
base::expected<model::catalog> read_catalog(sql_connection& on);

/// Writes the differences between `before`, the stored catalog, and `after`, and the revision of
/// `after`. Removed elements that `after` contains come back; `check_returning` must have
/// succeeded. Call this in the write transaction that read `before`.
base::expected<void> write_catalog(sql_connection& on, const model::catalog& before,
                                   const model::catalog& after);

} // namespace matchcloud::store
