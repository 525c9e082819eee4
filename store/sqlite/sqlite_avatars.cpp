#include "store/sqlite/sqlite_avatars.hpp"

#include "store/sqlite/game_revisions.hpp"
#include "store/sqlite/rows.hpp"

#include <bit>
#include <optional>
#include <set>

namespace matchcloud::store {

namespace {

/// The statements of a write, prepared once for all of its avatars.
class avatar_writer {
public:
  static base::expected<avatar_writer> prepare(connection& on) {
    auto find_game =
        on.prepare("SELECT 1 FROM games WHERE game_id = ? AND removed = 0", "look for a game");
    if (!find_game) return tl::unexpected(find_game.error());
    auto find = on.prepare("SELECT upload_id, game_id, display_name, create_ts, content_length, "
                           "complete, image_digest, image_type FROM avatars WHERE upload_id = ?",
                           "look for an avatar");
    if (!find) return tl::unexpected(find.error());
    auto upsert = on.prepare(
        "INSERT INTO avatars (upload_id, game_id, display_name, create_ts, content_length, "
        "complete, image_digest, image_type) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (upload_id) DO UPDATE SET display_name = excluded.display_name, "
        "create_ts = excluded.create_ts, content_length = excluded.content_length, "
        "complete = excluded.complete, image_digest = excluded.image_digest, "
        "image_type = excluded.image_type",
        "write an avatar");
    if (!upsert) return tl::unexpected(upsert.error());
    return avatar_writer{*std::move(find_game), *std::move(find), *std::move(upsert)};
  }

  base::expected<put_outcome> put(const model::avatar& each);

private:
  avatar_writer(statement find_game, statement find, statement upsert)
      : find_game_{std::move(find_game)}, find_{std::move(find)}, upsert_{std::move(upsert)} {}

  base::expected<bool> has_game(const model::uuid& game_id);
  base::expected<std::optional<model::avatar>> stored(const model::uuid& upload_id);

  statement find_game_;
  statement find_;
  statement upsert_;
};

model::avatar read_avatar(statement& row) {
  model::avatar each;
  each.upload_id = read_uuid(row, 0);
  each.game_id = read_uuid(row, 1);
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

base::expected<bool> avatar_writer::has_game(const model::uuid& game_id) {
  auto row = find_game_.bind(game_id.bytes).step();
  find_game_.reset();
  return row;
}

base::expected<std::optional<model::avatar>> avatar_writer::stored(const model::uuid& upload_id) {
  const auto row = find_.bind(upload_id.bytes).step();
  if (!row) return tl::unexpected(row.error());
  std::optional<model::avatar> found;
  if (*row) found = read_avatar(find_);
  find_.reset();
  return found;
}

base::expected<put_outcome> avatar_writer::put(const model::avatar& each) {
  const auto known = has_game(each.game_id);
  if (!known) return tl::unexpected(known.error());
  if (!*known) return put_outcome::game_unknown;
  const auto old = stored(each.upload_id);
  if (!old) return tl::unexpected(old.error());
  if (*old && (*old)->game_id != each.game_id) return put_outcome::of_other_game;
  if (*old == each) return put_outcome::unchanged;
  upsert_.bind(each.upload_id.bytes).bind(each.game_id.bytes).bind(each.display_name);
  upsert_.bind(each.create_ts_ms).bind(std::bit_cast<std::int64_t>(each.content_length));
  upsert_.bind(std::int64_t{each.complete ? 1 : 0});
  if (each.image) {
    upsert_.bind(each.image->digest);
    upsert_.bind(std::int64_t{each.image->type == model::image_type::png ? 0 : 1});
  } else {
    upsert_.bind_null().bind_null();
  }
  if (auto written = upsert_.run(); !written) return tl::unexpected(written.error());
  return *old ? put_outcome::changed : put_outcome::added;
}

} // namespace

base::expected<std::int64_t> select_avatars(connection& on, const model::uuid& game_id,
                                            const std::function<bool(const model::avatar&)>& take) {
  auto revision = read_game_revision(on, game_subject::avatars, game_id);
  if (!revision) return revision;
  auto query = on.prepare("SELECT upload_id, game_id, display_name, create_ts, content_length, "
                          "complete, image_digest, image_type FROM avatars WHERE game_id = ? "
                          "ORDER BY create_ts DESC, upload_id",
                          "read a game's avatars");
  if (!query) return tl::unexpected(query.error());
  query->bind(game_id.bytes);
  while (true) {
    const auto row = query->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row || !take(read_avatar(*query))) return revision;
  }
}

base::expected<std::vector<put_outcome>> write_avatars(connection& on,
                                                       std::span<const model::avatar> avatars) {
  auto writer = avatar_writer::prepare(on);
  if (!writer) return tl::unexpected(writer.error());
  std::vector<put_outcome> outcomes;
  outcomes.reserve(avatars.size());
  std::set<model::uuid> moved;
  for (const auto& each : avatars) {
    const auto outcome = writer->put(each);
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
