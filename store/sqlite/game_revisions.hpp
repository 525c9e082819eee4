#pragma once

#include "base/expected.hpp"
#include "store/moved_games.hpp"

#include <cstdint>

namespace matchcloud::store {

class connection;

/// 0 for a game without any. Belongs in the transaction that reads what it counts.
base::expected<std::int64_t> read_game_revision(connection& on, game_subject subject,
                                                const model::uuid& game_id);

/// What lies above `known`; below 0, nothing is known: `all`. O(moved games).
base::expected<moved_games> read_moved_games(connection& on, game_subject subject,
                                             std::int64_t known);

/// Moves a game's revision beyond every other of the subject. Belongs in the transaction that
/// changed what it counts.
base::expected<void> move_game_revision(connection& on, game_subject subject,
                                        const model::uuid& game_id);

} // namespace matchcloud::store
