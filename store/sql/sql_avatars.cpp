#include "model/avatars/avatar.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sql/transactions.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace matchcloud::store {

namespace {

/// What the store has of a batch, updated as the batch is written.
struct known_rows {
  std::set<model::uuid> games;
  std::map<model::uuid, model::avatar> avatars;
};

/// Looks up all games and avatars of a batch.
known_rows look_up(sql_connection& on, std::span<const model::avatar> batch) {
  static constexpr sql_command find_game{
      "SELECT game_id FROM games WHERE game_id = $1 AND removed = 0", "look for a game"};
  static constexpr sql_command find_avatar{
      "SELECT upload_id, game_id, display_name, create_ts, content_length, complete, "
      "image_digest, image_type FROM avatars WHERE upload_id = $1",
      "look for an avatar"};
  std::set<model::uuid> games;
  for (const auto& each : batch)
    games.insert(each.game_id);
  const std::vector<sql_value> game_ids{games.begin(), games.end()};
  std::vector<sql_value> upload_ids;
  upload_ids.reserve(batch.size());
  for (const auto& each : batch)
    upload_ids.emplace_back(each.upload_id);
  known_rows known;
  on.select_each(find_game, game_ids, [&](sql_row& row) { known.games.insert(row.uuid(0)); });
  on.select_each(find_avatar, upload_ids, [&](sql_row& row) {
    auto found = read_avatar(row);
    const auto id = found.upload_id;
    known.avatars.insert_or_assign(id, std::move(found));
  });
  return known;
}

void write_avatar(sql_connection& on, const model::avatar& each) {
  static constexpr sql_command upsert{
      "INSERT INTO avatars (upload_id, game_id, display_name, create_ts, content_length, "
      "complete, image_digest, image_type) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
      "ON CONFLICT (upload_id) DO UPDATE SET display_name = excluded.display_name, "
      "create_ts = excluded.create_ts, content_length = excluded.content_length, "
      "complete = excluded.complete, image_digest = excluded.image_digest, "
      "image_type = excluded.image_type",
      "write an avatar"};
  static constexpr sql_command keep{
      "DELETE FROM removed_images WHERE upload_id = $1 AND image_digest = $2 AND image_type = $3",
      "write an avatar"};
  sql_value digest = std::nullopt;
  sql_value type = std::nullopt;
  if (each.image) {
    digest = each.image->digest;
    type = image_type_column(each.image->type);
    // The image is needed again.
    on.run(keep, {each.upload_id, digest, type});
  }
  on.run(upsert, {each.upload_id, each.game_id, each.display_name, each.create_ts_ms,
                  std::bit_cast<std::int64_t>(each.content_length), each.complete, digest, type});
}

/// Remembers that another image, or none, takes the place of this one.
void note_replaced(sql_connection& on, const image_key& old) {
  static constexpr sql_command note{
      "INSERT INTO removed_images (upload_id, image_digest, image_type, replaced_ts) "
      "VALUES ($1, $2, $3, $4) ON CONFLICT (upload_id, image_digest, image_type) "
      "DO UPDATE SET replaced_ts = excluded.replaced_ts",
      "write an avatar"};
  on.run(note,
         {old.upload_id, old.name.digest, image_type_column(old.name.type), select_store_time(on)});
}

put_outcome put_avatar(sql_connection& on, const model::avatar& each, known_rows& known) {
  if (!known.games.contains(each.game_id)) return put_outcome::game_unknown;
  const auto old = known.avatars.find(each.upload_id);
  const bool is_new = old == known.avatars.end();
  if (!is_new && old->second.game_id != each.game_id) return put_outcome::of_other_game;
  if (!is_new && old->second == each) return put_outcome::unchanged;
  write_avatar(on, each);
  if (!is_new && old->second.image && old->second.image != each.image)
    note_replaced(on, {each.upload_id, *old->second.image});
  known.avatars.insert_or_assign(each.upload_id, each);
  return is_new ? put_outcome::added : put_outcome::changed;
}

bool is_change(put_outcome of) noexcept {
  return of == put_outcome::added || of == put_outcome::changed;
}

/// Writes avatars and moves the revisions of the games that changed.
std::vector<put_outcome> write_avatars(sql_connection& on, std::span<const model::avatar> avatars) {
  auto known = look_up(on, avatars);
  std::vector<put_outcome> outcomes;
  outcomes.reserve(avatars.size());
  std::set<model::uuid> moved;
  for (const auto& each : avatars) {
    outcomes.push_back(put_avatar(on, each, known));
    if (is_change(outcomes.back())) moved.insert(each.game_id);
  }
  for (const auto& game_id : moved)
    move_game_revision(on, sql_subject::avatars, game_id);
  return outcomes;
}

} // namespace

base::expected<std::int64_t>
sql_session::read(const model::uuid& game_id,
                  const std::function<bool(const model::avatar&)>& take) {
  static constexpr sql_command query{
      "SELECT upload_id, game_id, display_name, create_ts, content_length, complete, "
      "image_digest, image_type FROM avatars WHERE game_id = $1 "
      "ORDER BY create_ts DESC, upload_id",
      "read a game's avatars"};
  return read_at_once("begin reading avatars", [&] {
    const auto revision = read_avatars_revision(*on_, game_id);
    on_->select(query, {game_id}, [&](sql_row& row) { return take(read_avatar(row)); });
    return revision;
  });
}

base::expected<void> sql_session::read_images(const take_image& take) {
  static constexpr sql_command query{
      "SELECT upload_id, image_digest, image_type, 1 FROM avatars WHERE image_digest IS NOT NULL "
      "AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.game_id = avatars.game_id) UNION ALL "
      "SELECT upload_id, image_digest, image_type, 0 FROM removed_images "
      "WHERE replaced_ts IS NOT NULL",
      "read the names of all images"};
  return look(query.operation, [&] {
    on_->select(query, {}, [&](sql_row& row) {
      const auto image = read_image(row, 1);
      return !image || take({row.uuid(0), *image}, row.integer(3) != 0);
    });
  });
}

base::expected<std::vector<put_outcome>> sql_session::put(std::span<const model::avatar> avatars) {
  return base::attempt([&] {
    auto changes = sql_transaction::write(*on_, sql_subject::avatars, "write avatars");
    audit_->begin();
    auto outcomes = write_avatars(*on_, avatars);
    // Nothing to commit, and no entry: if a later batch of the same run changes something, it
    // writes the entry.
    if (std::ranges::none_of(outcomes, is_change)) return outcomes;
    audit_->write(*on_, {model::audit_action::avatars_import, {}, {}, {}});
    audit_->commit(changes);
    return outcomes;
  });
}

base::expected<std::vector<put_outcome>>
sql_session::check(std::span<const model::avatar> avatars) {
  return base::attempt([&] {
    // Never committed, so that the check writes nothing.
    const auto trial = sql_transaction::write(*on_, sql_subject::avatars, "check avatars");
    return write_avatars(*on_, avatars);
  });
}

} // namespace matchcloud::store
