#include "store/postgres/lobby_changes.hpp"

#include "store/sql/game_revisions.hpp"
#include "store/sql/replica_table.hpp"

namespace matchcloud::store {

base::expected<bool> lobby_changes::begin(sql_connection& on) {
  if (!has_older_) return false;
  const auto found = has_older_replica(on);
  if (found) has_older_ = *found;
  return found;
}

base::expected<void> lobby_changes::count(sql_connection& on, const model::uuid& game_id) {
  // A row that another transaction holds is passed over. There is one for each that wrote at once.
  static constexpr sql_command add{
      "WITH free AS (SELECT writer FROM lobby_changes WHERE game_id = $1 LIMIT 1 "
      "FOR UPDATE SKIP LOCKED), added AS (UPDATE lobby_changes SET changes = changes + 1 FROM free "
      "WHERE lobby_changes.game_id = $1 AND lobby_changes.writer = free.writer RETURNING 1) "
      "INSERT INTO lobby_changes (game_id, writer, changes) SELECT $1, gen_random_uuid(), 1 "
      "WHERE NOT EXISTS (SELECT 1 FROM added)",
      "count a change of lobbies"};
  if (auto done = on.run(add, {game_id}); !done) return done;
  return has_older_ ? move_game_revision(on, sql_subject::lobbies, game_id)
                    : base::expected<void>{};
}

} // namespace matchcloud::store
