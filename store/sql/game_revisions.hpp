#pragma once

#include "store/change_feed.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>

namespace matchcloud::store {

// These throw like their connection.

std::int64_t read_catalog_revision(sql_connection& on);

// The subjects below are those that each game has: `avatars` and `lobbies`.

/// The revision of a game's avatars; 0 if it has none. Call this in the transaction that reads the
/// data that the revision counts.
std::int64_t read_avatars_revision(sql_connection& on, const model::uuid& game_id);

/// The same for a game's lobbies: the sum of its row of `game_revisions` and all its rows of
/// `lobby_changes`. Each transaction that changes the game's lobbies adds to one of these rows,
/// none ever subtracts, and of two snapshots one includes the other. So a higher sum includes
/// everything that a lower one does, and equal sums see the same.
std::int64_t read_lobbies_revision(sql_connection& on, const model::uuid& game_id);

/// The games whose avatars' revision is above `known`; sets `all` if `known` is negative. O(moved
/// games).
moved_games read_moved_games(sql_connection& on, std::int64_t known);

/// Adds one to a subject's revision in the table `revisions`. Call this in a transaction that
/// changes the subject.
void move_revision(sql_connection& on, sql_subject subject);

/// Moves a game's revision beyond all others of the subject. Call this in the write transaction of
/// the subject that changed the data that the revision counts.
void move_game_revision(sql_connection& on, sql_subject subject, const model::uuid& game_id);

/// Records in a transaction that it changes the lobbies of a game: in PostgreSQL in the table
/// `lobby_changes`, so that it waits for no other transaction, and none waits for it.
void move_lobbies_revision(sql_connection& on, const model::uuid& game_id);

} // namespace matchcloud::store
