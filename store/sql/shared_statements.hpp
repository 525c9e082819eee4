#pragma once

#include "model/avatars/avatar.hpp"
#include "store/change_feed.hpp"
#include "store/lobby_history.hpp"
#include "store/retention_store.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// Statements that several tables use. They throw like their connection.
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

/// The image whose digest and type are in a column and the next one, if there is one.
std::optional<model::image_name> read_image(sql_row& row, int column);
/// The column value of an image type.
std::int64_t image_type_column(model::image_type type) noexcept;

/// The avatar in a row of upload_id, game_id, display_name, create_ts, content_length, complete,
/// image_digest and image_type.
model::avatar read_avatar(sql_row& row);

/// Removes lobbies of a game that stopped at or before `horizon_ts`, or all if it is empty. Call
/// this in a write transaction.
std::size_t delete_lobbies(sql_connection& on, const model::uuid& game_id,
                           std::optional<std::int64_t> horizon_ts,
                           std::span<const lobby_place> lobbies);

// While another store is copied into a store, the target has a mark, from before the first row
// until both are equal. What a killed copy left is never used: it may have lobbies without their
// games, or lack some tokens.

/// The name of the mark's row in the table `revisions`, which every schema has.
inline constexpr std::string_view copy_mark = "store.copy";

/// Call these in a write transaction.
void set_copy_mark(sql_connection& on);
void remove_copy_mark(sql_connection& on);

bool has_copy_mark(sql_connection& on);

/// Throws `import_invalid` if the store, which messages call `name`, has the mark.
void check_is_whole(sql_connection& on, const std::string& name);

/// The revisions that an export of a game depends on. Call this in a transaction, because it runs
/// two queries.
history_revisions select_history_revisions(sql_connection& on, const model::uuid& game_id);

/// The first steps of `lobby_history::read`: passes the snapshot to `to`, and throws `cancelled` if
/// that stops the reading. Call this at the beginning of the transaction that reads
/// the game's history: an engine takes its snapshot at the first query, so everything committed
/// before is included.
void begin_history(sql_connection& on, const model::uuid& game_id, const base::clock& clock,
                   const history_reader& to);

} // namespace matchcloud::store
