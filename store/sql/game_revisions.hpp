#pragma once

#include "base/expected.hpp"
#include "store/moved_games.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>

namespace matchcloud::store {

/// The revision of a game's subject; 0 if it has none. Call this in the transaction that reads the
/// data that the revision counts.
base::expected<std::int64_t> read_game_revision(sql_connection& on, game_subject subject,
                                                const model::uuid& game_id);

/// The games whose revision is above `known`; sets `all` if `known` is negative. O(moved games).
base::expected<moved_games> read_moved_games(sql_connection& on, game_subject subject,
                                             std::int64_t known);

/// Moves a game's revision beyond all others of the subject. Call this in the write transaction of
/// the subject that changed the data that the revision counts.
base::expected<void> move_game_revision(sql_connection& on, game_subject subject,
                                        const model::uuid& game_id);

} // namespace matchcloud::store
