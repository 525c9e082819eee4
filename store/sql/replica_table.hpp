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

/// Whether a process serves from the store whose program knows nothing of `lobby_changes`. Once
/// there is none there is none again: the schema refuses such a program that starts.
base::expected<bool> has_older_replica(sql_connection& on);

} // namespace matchcloud::store
