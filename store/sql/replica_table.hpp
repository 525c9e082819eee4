#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/sql/sql.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// Implements `replica_registry::renew_replica`. Call this in a write transaction.
base::expected<std::uint32_t> upsert_replica(sql_connection& on, const model::uuid& replica_id,
                                             std::chrono::milliseconds lease);

} // namespace matchcloud::store
