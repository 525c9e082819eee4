#include "store/sql/shared_statements.hpp"

#include <algorithm>
#include <bit>

namespace matchcloud::store {

namespace {

/// The start of a game's complete history; 0: none of it has expired.
std::int64_t read_horizon(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command query{
      "SELECT complete_from_ts FROM history_horizons WHERE game_id = $1",
      "read from when on history is complete"};
  return on.number(query, {game_id}, 0);
}

} // namespace

std::int64_t read_catalog_revision(sql_connection& on) {
  static constexpr sql_command query{"SELECT revision FROM revisions WHERE name = 'catalog'",
                                     "read the catalog's revision"};
  return on.number(query);
}

std::int64_t read_avatars_revision(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command query{
      "SELECT revision FROM game_revisions WHERE subject = 'avatars' AND game_id = $1",
      "read a game's revision"};
  return on.number(query, {game_id}, 0);
}

std::int64_t read_lobbies_revision(sql_connection& on, const model::uuid& game_id) {
  // One statement, so one snapshot even if the transaction has none.
  static constexpr sql_command query{
      "SELECT coalesce((SELECT revision FROM game_revisions WHERE subject = 'lobbies' AND "
      "game_id = $1), 0) + CAST(coalesce((SELECT sum(changes) FROM lobby_changes WHERE "
      "game_id = $1), 0) AS bigint)",
      "read a game's revision"};
  return on.number(query, {game_id});
}

moved_games read_moved_games(sql_connection& on, std::int64_t known) {
  static constexpr sql_command query{
      "SELECT game_id, revision FROM game_revisions "
      "WHERE subject = 'avatars' AND revision > $1 ORDER BY revision",
      "read what changed"};
  static constexpr sql_command query_highest{
      "SELECT max(revision) FROM game_revisions WHERE subject = 'avatars'", "read what changed"};
  moved_games moved;
  moved.revision = known < 0 ? 0 : known;
  on.each(query, {moved.revision}, [&](sql_row& row) {
    moved.revision = row.integer(1);
    if (moved.games.size() <= moved_games::named_limit)
      moved.games.push_back({row.uuid(0), moved.revision});
  });
  moved.all = known < 0 || moved.games.size() > moved_games::named_limit;
  if (moved.games.empty() && known > 0) {
    const auto highest = on.number(query_highest, {}, 0);
    // The store went back in time: a standby without the last changes has taken over, or a backup
    // was restored. New changes will reuse revisions that are already known.
    moved.all = highest < known;
    if (moved.all) moved.revision = highest;
  }
  if (moved.all) moved.games.clear();
  return moved;
}

void move_revision(sql_connection& on, sql_subject subject) {
  static constexpr sql_command update{
      "UPDATE revisions SET revision = revision + 1 WHERE name = $1", "move a revision"};
  on.run(update, {name_of(subject)});
}

void move_game_revision(sql_connection& on, sql_subject subject, const model::uuid& game_id) {
  static constexpr sql_command update{
      "INSERT INTO game_revisions (subject, game_id, revision) VALUES ($1, $2, "
      "(SELECT coalesce(max(revision), 0) + 1 FROM game_revisions WHERE subject = $1)) "
      "ON CONFLICT (subject, game_id) DO UPDATE SET revision = excluded.revision",
      "move a game's revision"};
  on.run(update, {name_of(subject), game_id});
}

void move_lobbies_revision(sql_connection& on, const model::uuid& game_id) {
  // Skips rows that other transactions hold, so there is one row for each concurrent writer.
  static constexpr sql_command add{
      "WITH free AS (SELECT writer FROM lobby_changes WHERE game_id = $1 LIMIT 1 "
      "FOR UPDATE SKIP LOCKED), added AS (UPDATE lobby_changes SET changes = changes + 1 FROM free "
      "WHERE lobby_changes.game_id = $1 AND lobby_changes.writer = free.writer RETURNING 1) "
      "INSERT INTO lobby_changes (game_id, writer, changes) SELECT $1, gen_random_uuid(), 1 "
      "WHERE NOT EXISTS (SELECT 1 FROM added)",
      "count a change of lobbies"};
  if (on.dialect() == sql_dialect::postgres)
    on.run(add, {game_id});
  else
    move_game_revision(on, sql_subject::lobbies, game_id);
}

std::optional<model::image_name> read_image(sql_row& row, int column) {
  model::image_name image;
  const auto digest = row.blob(column);
  if (digest.size() != image.digest.size()) return std::nullopt;
  std::copy(digest.begin(), digest.end(), image.digest.begin());
  image.type = row.integer(column + 1) == 0 ? model::image_type::png : model::image_type::jpeg;
  return image;
}

model::avatar read_avatar(sql_row& row) {
  model::avatar each;
  each.upload_id = row.uuid(0);
  each.game_id = row.uuid(1);
  each.display_name = row.text(2);
  each.create_ts_ms = row.integer(3);
  each.content_length = std::bit_cast<std::uint64_t>(row.integer(4));
  each.complete = row.integer(5) != 0;
  each.image = read_image(row, 6);
  return each;
}

std::int64_t image_type_column(model::image_type type) noexcept {
  return type == model::image_type::png ? 0 : 1;
}

void set_copy_mark(sql_connection& on) {
  static constexpr sql_command insert{
      "INSERT INTO revisions (name, revision) VALUES ($1, 1) ON CONFLICT (name) DO NOTHING",
      "mark the store as a copy that is not complete"};
  on.run(insert, {copy_mark});
}

void remove_copy_mark(sql_connection& on) {
  static constexpr sql_command remove{"DELETE FROM revisions WHERE name = $1",
                                      "mark the store as a complete copy"};
  on.run(remove, {copy_mark});
}

bool has_copy_mark(sql_connection& on) {
  static constexpr sql_command query{"SELECT count(*) FROM revisions WHERE name = $1",
                                     "look whether a copy is complete"};
  return on.number(query, {copy_mark}) > 0;
}

void check_is_whole(sql_connection& on, const std::string& name) {
  if (has_copy_mark(on))
    throw base::failure{base::errc::import_invalid,
                        "{}: a `matchcloud store copy` or `restore` into this store was not "
                        "completed, so parts of it are missing. Run the same command again to "
                        "complete it, or use a new data directory or database",
                        name};
}

history_revisions select_history_revisions(sql_connection& on, const model::uuid& game_id) {
  const auto lobbies = read_lobbies_revision(on, game_id);
  return {lobbies, read_catalog_revision(on)};
}

void begin_history(sql_connection& on, const model::uuid& game_id, const base::clock& clock,
                   const history_reader& to) {
  history_snapshot snapshot;
  snapshot.taken_ts = clock.unix_ms();
  snapshot.revisions = select_history_revisions(on, game_id);
  snapshot.complete_from_ts = read_horizon(on, game_id);
  if (to.begun) to.begun(snapshot);
  if (to.stop && to.stop()) throw base::failure{base::errc::cancelled, "the export was given up"};
}

} // namespace matchcloud::store
