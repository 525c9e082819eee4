#pragma once

#include "base/expected.hpp"
#include "store/sql/sql.hpp"

namespace matchcloud::store {

/// Counts changes of lobbies in the table `lobby_changes`, of which `read_lobbies_revision` is the
/// sum. One connection.
class lobby_changes {
public:
  /// Counts that a transaction changes the lobbies of a game. Call this in it, once for each game.
  /// It waits for no other transaction, and none waits for it, unless a service of an older program
  /// is there: then all move the game's row of `game_revisions`, too, one after the other.
  base::expected<void> count(sql_connection& on, const model::uuid& game_id);
  /// Call this before, once in a transaction. Returns whether `count` moves `game_revisions`, for
  /// which the caller has to lock the subject.
  base::expected<bool> begin(sql_connection& on);

private:
  bool has_older_ = true;
};

} // namespace matchcloud::store
