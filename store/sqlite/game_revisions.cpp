#include "store/sqlite/game_revisions.hpp"

#include "store/sqlite/rows.hpp"
#include "store/sqlite/sqlite.hpp"

namespace matchcloud::store {

namespace {

constexpr std::string_view name_of(game_subject subject) noexcept {
  return subject == game_subject::avatars ? "avatars" : "lobbies";
}

} // namespace

base::expected<std::int64_t> read_game_revision(connection& on, game_subject subject,
                                                const model::uuid& game_id) {
  auto query = on.prepare("SELECT revision FROM game_revisions WHERE subject = ? AND game_id = ?",
                          "read a game's revision");
  if (!query) return tl::unexpected(query.error());
  const auto row = query->bind(name_of(subject)).bind(game_id.bytes).step();
  if (!row) return tl::unexpected(row.error());
  return *row ? query->integer(0) : 0;
}

base::expected<moved_games> read_moved_games(connection& on, game_subject subject,
                                             std::int64_t known) {
  moved_games moved;
  moved.revision = known < 0 ? 0 : known;
  auto query = on.prepare("SELECT game_id, revision FROM game_revisions "
                          "WHERE subject = ? AND revision > ? ORDER BY revision",
                          "read what changed");
  if (!query) return tl::unexpected(query.error());
  query->bind(name_of(subject)).bind(moved.revision);
  const auto read = for_each_row(*query, [&](statement& row) {
    moved.revision = row.integer(1);
    if (moved.games.size() <= moved_games::named_limit)
      moved.games.push_back({read_uuid(row, 0), moved.revision});
  });
  if (!read) return tl::unexpected(read.error());
  moved.all = known < 0 || moved.games.size() > moved_games::named_limit;
  if (moved.all) moved.games.clear();
  return moved;
}

base::expected<void> move_game_revision(connection& on, game_subject subject,
                                        const model::uuid& game_id) {
  auto update =
      on.prepare("INSERT INTO game_revisions (subject, game_id, revision) VALUES (?1, ?2, "
                 "(SELECT coalesce(max(revision), 0) + 1 FROM game_revisions "
                 "WHERE subject = ?1)) "
                 "ON CONFLICT (subject, game_id) DO UPDATE SET revision = "
                 "excluded.revision",
                 "move a game's revision");
  if (!update) return tl::unexpected(update.error());
  return update->bind(name_of(subject)).bind(game_id.bytes).run();
}

} // namespace matchcloud::store
