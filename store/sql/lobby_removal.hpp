#pragma once

#include "store/retention_store.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace matchcloud::store {

/// Removes lobbies of a game that stopped at or before `horizon_ts`, or all if it is empty. Call
/// this in a write transaction.
std::size_t delete_lobbies(sql_connection& on, const model::uuid& game_id,
                           std::optional<std::int64_t> horizon_ts,
                           std::span<const lobby_place> lobbies);

} // namespace matchcloud::store
