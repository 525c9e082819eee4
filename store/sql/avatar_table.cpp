#include "store/sql/avatar_table.hpp"

#include "store/sql/game_revisions.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace matchcloud::store {

namespace {

model::avatar read_avatar(sql_row& row) {
  model::avatar each;
  each.upload_id = row.uuid(0);
  each.game_id = row.uuid(1);
  each.display_name = row.text(2);
  each.create_ts_ms = row.integer(3);
  each.content_length = std::bit_cast<std::uint64_t>(row.integer(4));
  each.complete = row.integer(5) != 0;
  model::image_name image;
  if (const auto digest = row.blob(6); digest.size() == image.digest.size()) {
    std::copy(digest.begin(), digest.end(), image.digest.begin());
    image.type = row.integer(7) == 0 ? model::image_type::png : model::image_type::jpeg;
    each.image = image;
  }
  return each;
}

base::expected<bool> has_game(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command query{"SELECT 1 FROM games WHERE game_id = $1 AND removed = 0",
                                     "look for a game"};
  bool found = false;
  auto read = for_each_row(on, query, {game_id}, [&](sql_row&) { found = true; });
  if (!read) return tl::unexpected(read.error());
  return found;
}

base::expected<std::optional<model::avatar>> stored_avatar(sql_connection& on,
                                                           const model::uuid& upload_id) {
  static constexpr sql_command query{
      "SELECT upload_id, game_id, display_name, create_ts, content_length, complete, "
      "image_digest, image_type FROM avatars WHERE upload_id = $1",
      "look for an avatar"};
  std::optional<model::avatar> found;
  auto read = for_each_row(on, query, {upload_id}, [&](sql_row& row) { found = read_avatar(row); });
  if (!read) return tl::unexpected(read.error());
  return found;
}

base::expected<void> write_avatar(sql_connection& on, const model::avatar& each) {
  static constexpr sql_command upsert{
      "INSERT INTO avatars (upload_id, game_id, display_name, create_ts, content_length, "
      "complete, image_digest, image_type) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
      "ON CONFLICT (upload_id) DO UPDATE SET display_name = excluded.display_name, "
      "create_ts = excluded.create_ts, content_length = excluded.content_length, "
      "complete = excluded.complete, image_digest = excluded.image_digest, "
      "image_type = excluded.image_type",
      "write an avatar"};
  sql_value digest = std::nullopt;
  sql_value type = std::nullopt;
  if (each.image) {
    digest = each.image->digest;
    type = std::int64_t{each.image->type == model::image_type::png ? 0 : 1};
  }
  return on.run(upsert, {each.upload_id, each.game_id, each.display_name, each.create_ts_ms,
                         std::bit_cast<std::int64_t>(each.content_length),
                         std::int64_t{each.complete ? 1 : 0}, digest, type});
}

base::expected<put_outcome> put_avatar(sql_connection& on, const model::avatar& each) {
  const auto known = has_game(on, each.game_id);
  if (!known) return tl::unexpected(known.error());
  if (!*known) return put_outcome::game_unknown;
  const auto old = stored_avatar(on, each.upload_id);
  if (!old) return tl::unexpected(old.error());
  if (*old && (*old)->game_id != each.game_id) return put_outcome::of_other_game;
  if (*old == each) return put_outcome::unchanged;
  if (auto written = write_avatar(on, each); !written) return tl::unexpected(written.error());
  return *old ? put_outcome::changed : put_outcome::added;
}

} // namespace

base::expected<std::int64_t> select_avatars(sql_connection& on, const model::uuid& game_id,
                                            const std::function<bool(const model::avatar&)>& take) {
  static constexpr sql_command query{
      "SELECT upload_id, game_id, display_name, create_ts, content_length, complete, "
      "image_digest, image_type FROM avatars WHERE game_id = $1 "
      "ORDER BY create_ts DESC, upload_id",
      "read a game's avatars"};
  auto revision = read_game_revision(on, game_subject::avatars, game_id);
  if (!revision) return revision;
  auto read = on.select(query, {game_id}, [&](sql_row& row) { return take(read_avatar(row)); });
  if (!read) return tl::unexpected(read.error());
  return revision;
}

base::expected<std::vector<put_outcome>> write_avatars(sql_connection& on,
                                                       std::span<const model::avatar> avatars) {
  std::vector<put_outcome> outcomes;
  outcomes.reserve(avatars.size());
  std::set<model::uuid> moved;
  for (const auto& each : avatars) {
    const auto outcome = put_avatar(on, each);
    if (!outcome) return tl::unexpected(outcome.error());
    outcomes.push_back(*outcome);
    if (*outcome == put_outcome::added || *outcome == put_outcome::changed)
      moved.insert(each.game_id);
  }
  for (const auto& game_id : moved)
    if (auto done = move_game_revision(on, game_subject::avatars, game_id); !done)
      return tl::unexpected(done.error());
  return outcomes;
}

} // namespace matchcloud::store
