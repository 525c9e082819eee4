#include "store/sql/sql_session.hpp"
#include "store/sql/transactions.hpp"

#include "model/audit/audit.hpp"
#include "model/catalog/catalog.hpp"
#include "model/json/json_writer.hpp"
#include "store/sql/shared_statements.hpp"

#include <chrono>
#include <string>

namespace matchcloud::store {

namespace {

constexpr std::string_view erasing = "erase a game";
/// No transaction lasts this long. So everything that began before an erasure has ended by then,
/// even if transaction numbers say nothing because the database was restored elsewhere.
constexpr std::chrono::milliseconds longest_transaction = std::chrono::hours{1};

std::string subject_of(const model::uuid& game_id) {
  return "games/" + to_string(game_id);
}

erasure read_erasure(sql_row& row) {
  erasure each;
  each.game_id = row.uuid(0);
  each.begun_ms = row.integer(1);
  each.lobbies = row.natural(2);
  each.avatars = row.natural(3);
  each.exports = row.natural(4);
  each.tokens = row.natural(5);
  each.finished_ms = row.optional_integer(6);
  return each;
}

std::optional<erasure> find_erasure(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command query{
      "SELECT game_id, begun_ms, lobbies, avatars, exports, tokens, finished_ms FROM erasures "
      "WHERE game_id = $1",
      "look for an erasure"};
  return on.first(query, {game_id}, read_erasure);
}

/// The name of a game, removed or not; nothing if there is none.
std::optional<std::string> find_name(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command query{"SELECT display_name FROM games WHERE game_id = $1",
                                     "look for a game"};
  return on.first(query, {game_id}, [](sql_row& row) { return row.string(0); });
}

/// Runs statements whose only parameter is the game.
template <std::size_t Size>
void run_all(sql_connection& on, const sql_command (&all)[Size], const model::uuid& game_id) {
  for (const auto& each : all)
    on.run(each, {game_id});
}

/// Takes a game out of the catalog, with its namespaces.
void hide_game(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command changes[]{
      {"DELETE FROM namespace_domains WHERE namespace_id IN (SELECT namespace_id FROM namespaces "
       "WHERE game_id = $1)",
       erasing},
      {"DELETE FROM namespace_regions WHERE namespace_id IN (SELECT namespace_id FROM namespaces "
       "WHERE game_id = $1)",
       erasing},
      {"UPDATE namespaces SET removed = 1 WHERE game_id = $1", erasing},
      {"UPDATE games SET removed = 1 WHERE game_id = $1", erasing}};
  run_all(on, changes, game_id);
  move_revision(on, sql_subject::catalog);
}

void insert_erasure(sql_connection& on, const model::uuid& game_id, std::int64_t now_ms) {
  static constexpr sql_command insert{
      "INSERT INTO erasures (game_id, begun_ms, begun_transaction) VALUES ($1, $2, $3)", erasing};
  static constexpr sql_command transaction{
      "SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)", erasing};
  const bool is_numbered = on.dialect() == sql_dialect::postgres;
  on.run(insert, {game_id, now_ms, is_numbered ? on.number(transaction) : 0});
}

/// Whether all transactions that do not know of an erasure have ended.
bool is_known_to_all(sql_connection& on, const model::uuid& game_id, std::int64_t now_ms) {
  static constexpr sql_command query{
      "SELECT 1 FROM erasures WHERE game_id = $1 AND (begun_ms < $2 OR begun_transaction < "
      "CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint))",
      erasing};
  return on.dialect() == sql_dialect::sqlite || // one writes at a time
         on.has(query, {game_id, now_ms - longest_transaction.count()});
}

bool has_rest(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command query{
      "SELECT 1 FROM games WHERE game_id = $1 AND ("
      "EXISTS (SELECT 1 FROM lobbies WHERE game_id = $1) OR "
      "EXISTS (SELECT 1 FROM avatars WHERE game_id = $1) OR "
      "EXISTS (SELECT 1 FROM exports WHERE game_id = $1) OR "
      "EXISTS (SELECT 1 FROM tokens WHERE scope = $1 OR scope IN (SELECT namespace_id FROM "
      "namespaces WHERE game_id = $1)))",
      erasing};
  return on.has(query, {game_id});
}

void remove_names(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command changes[]{
      {"DELETE FROM lobby_kinds WHERE namespace_id IN (SELECT namespace_id FROM namespaces "
       "WHERE game_id = $1)",
       erasing},
      {"DELETE FROM history_horizons WHERE game_id = $1", erasing},
      {"UPDATE namespaces SET name = '' WHERE game_id = $1", erasing},
      {"UPDATE games SET display_name = '', retention_days = NULL WHERE game_id = $1", erasing}};
  run_all(on, changes, game_id);
}

/// Adds to the counts of removed data of an erased game.
void count(sql_connection& on, const sql_command& add, const model::uuid& game_id,
           std::size_t gone) {
  if (gone > 0) on.run(add, {gone, game_id});
}

/// Makes images that an avatar had before those of a removed one.
constexpr sql_command remove_replaced{
    "UPDATE removed_images SET replaced_ts = NULL WHERE upload_id = $1", "remove an avatar"};

std::string describe(const erasure& done) {
  model::json_writer json;
  json.object().name("lobbies").number(done.lobbies).name("avatars").number(done.avatars);
  json.name("exports").number(done.exports).name("tokens").number(done.tokens);
  return json.end_object().take();
}

std::string describe_name(const std::string& name) {
  return model::json_writer{}.object().name("display_name").text(name).end_object().take();
}

} // namespace

base::expected<erasure> erasure_store::begin_erasure(const model::uuid& game_id,
                                                     std::int64_t now_ms) {
  return change(sql_subject::catalog, erasing, [&] {
    if (const auto known = find_erasure(*on_, game_id)) return *known;
    const auto name = find_name(*on_, game_id);
    if (!name) throw base::failure{model::no_such_game(game_id)};
    hide_game(*on_, game_id);
    insert_erasure(*on_, game_id, now_ms);
    audit_->write(*on_,
                  {model::audit_action::game_erase, subject_of(game_id), describe_name(*name), {}});
    return erasure{game_id, now_ms};
  });
}

base::expected<std::vector<erasure>> erasure_store::erasures() {
  static constexpr sql_command query{
      "SELECT game_id, begun_ms, lobbies, avatars, exports, tokens, finished_ms FROM erasures "
      "ORDER BY begun_ms DESC, game_id",
      "read the erasures"};
  return all_of(query, {}, read_erasure);
}

base::expected<bool> sql_session::is_erased(const model::uuid& game_id) {
  return look("look for an erasure", [&] { return find_erasure(*on_, game_id).has_value(); });
}

// -- the steps ----------------------------------------------------------------

base::expected<void> erasure_store::erase_audit_names(const model::uuid& game_id,
                                                      audit_names& names, std::size_t limit) {
  static constexpr sql_command query{
      "SELECT namespace_id FROM namespaces WHERE game_id = $1 UNION ALL "
      "SELECT token_id FROM tokens WHERE scope = $1 OR "
      "scope IN (SELECT namespace_id FROM namespaces WHERE game_id = $1)",
      "erase names in the audit log"};
  return change(std::nullopt, query.operation, [&] {
    names.ids.insert(to_string(game_id));
    on_->each(query, {game_id}, [&](sql_row& row) { names.ids.insert(to_string(row.uuid(0))); });
    erase_names(*on_, names, limit);
  });
}

base::expected<std::size_t> erasure_store::erase_tokens(const model::uuid& game_id) {
  static constexpr sql_command drop_uses{
      "DELETE FROM token_uses WHERE token_id IN (SELECT token_id FROM tokens WHERE scope = $1 OR "
      "scope IN (SELECT namespace_id FROM namespaces WHERE game_id = $1))",
      "erase the tokens of a game"};
  static constexpr sql_command drop{
      "DELETE FROM tokens WHERE scope = $1 OR "
      "scope IN (SELECT namespace_id FROM namespaces WHERE game_id = $1)",
      "erase the tokens of a game"};
  static constexpr sql_command add{"UPDATE erasures SET tokens = tokens + $1 WHERE game_id = $2",
                                   "erase the tokens of a game"};
  return change(sql_subject::tokens, drop.operation, [&] {
    on_->run(drop_uses, {game_id});
    const auto gone = on_->count_changes(drop, {game_id});
    if (gone > 0) move_revision(*on_, sql_subject::tokens);
    count(*on_, add, game_id, gone);
    return gone;
  });
}

base::expected<std::vector<model::avatar>> erasure_store::avatars_after(const model::uuid& game_id,
                                                                        const model::uuid& after,
                                                                        std::size_t limit) {
  static constexpr sql_command query{
      "SELECT upload_id, game_id, display_name, create_ts, content_length, complete, "
      "image_digest, image_type FROM avatars WHERE game_id = $1 AND upload_id > $2 "
      "ORDER BY upload_id LIMIT $3",
      "read avatars"};
  return all_of(query, {game_id, after, limit}, read_avatar);
}

base::expected<std::size_t> erasure_store::erase_avatars(const model::uuid& game_id,
                                                         std::span<const model::uuid> upload_ids) {
  static constexpr sql_command drop{"DELETE FROM avatars WHERE upload_id = $1 AND game_id = $2",
                                    "erase avatars"};
  static constexpr sql_command add{"UPDATE erasures SET avatars = avatars + $1 WHERE game_id = $2",
                                   "erase avatars"};
  return change(sql_subject::avatars, drop.operation, [&] {
    std::size_t gone = 0;
    for (const auto& id : upload_ids) {
      if (on_->count_changes(drop, {id, game_id}) == 0) continue;
      on_->run(remove_replaced, {id});
      ++gone;
    }
    if (gone > 0) move_game_revision(*on_, sql_subject::avatars, game_id);
    count(*on_, add, game_id, gone);
    return gone;
  });
}

base::expected<std::vector<lobby_place>> erasure_store::lobbies_after(const model::uuid& game_id,
                                                                      const lobby_place& after,
                                                                      std::size_t limit) {
  static constexpr sql_command query{
      "SELECT duration_class, start_ts, lobby_id FROM lobbies WHERE game_id = $1 AND "
      "(duration_class, start_ts, lobby_id) > ($2, $3, $4) "
      "ORDER BY duration_class, start_ts, lobby_id LIMIT $5",
      "look for lobbies of a game"};
  return all_of(query, {game_id, after.duration_class, after.start_ts, after.lobby_id, limit},
                [](sql_row& row) {
                  return lobby_place{static_cast<int>(row.integer(0)), row.integer(1), row.uuid(2)};
                });
}

base::expected<std::size_t> erasure_store::erase_lobbies(const model::uuid& game_id,
                                                         std::span<const lobby_place> lobbies) {
  static constexpr sql_command add{"UPDATE erasures SET lobbies = lobbies + $1 WHERE game_id = $2",
                                   "erase lobbies"};
  return change(std::nullopt, add.operation, [&] {
    const auto gone = delete_lobbies(*on_, game_id, std::nullopt, lobbies);
    count(*on_, add, game_id, gone);
    return gone;
  });
}

base::expected<void> erasure_store::note_erased_exports(const model::uuid& game_id,
                                                        std::size_t gone) {
  static constexpr sql_command add{"UPDATE erasures SET exports = exports + $1 WHERE game_id = $2",
                                   "erase exports"};
  return change(std::nullopt, add.operation, [&] { count(*on_, add, game_id, gone); });
}

base::expected<bool> erasure_store::finish_erasure(const model::uuid& game_id,
                                                   std::int64_t now_ms) {
  static constexpr sql_command finish{"UPDATE erasures SET finished_ms = $1 WHERE game_id = $2",
                                      erasing};
  return change(sql_subject::catalog, erasing, [&] {
    const auto known = find_erasure(*on_, game_id);
    if (!known) throw base::failure{model::no_such_game(game_id)};
    if (known->finished_ms) return true;
    // In this order: once no older transaction runs, nothing can be added that the second check
    // misses.
    if (!is_known_to_all(*on_, game_id, now_ms) || has_rest(*on_, game_id)) return false;
    remove_names(*on_, game_id);
    on_->run(finish, {now_ms, game_id});
    audit_->write(*on_,
                  {model::audit_action::game_erased, subject_of(game_id), {}, describe(*known)});
    return true;
  });
}

// -- one avatar ---------------------------------------------------------------

base::expected<void> erasure_store::remove_avatar(const model::uuid& game_id,
                                                  const model::uuid& upload_id) {
  static constexpr sql_command find{
      "SELECT display_name FROM avatars WHERE upload_id = $1 AND game_id = $2",
      "look for an avatar"};
  static constexpr sql_command keep{
      "INSERT INTO removed_images (upload_id, image_digest, image_type) "
      "SELECT upload_id, image_digest, image_type FROM avatars WHERE upload_id = $1 AND "
      "image_digest IS NOT NULL ON CONFLICT DO NOTHING",
      "remove an avatar"};
  static constexpr sql_command drop{"DELETE FROM avatars WHERE upload_id = $1", "remove an avatar"};
  return change(sql_subject::avatars, drop.operation, [&] {
    const auto name =
        on_->first(find, {upload_id, game_id}, [](sql_row& row) { return row.string(0); });
    if (!name)
      throw base::failure{base::errc::avatar_not_found, "The game {} has no avatar {}.",
                          to_string(game_id), to_string(upload_id)};
    on_->run(keep, {upload_id});
    on_->run(remove_replaced, {upload_id});
    on_->run(drop, {upload_id});
    move_game_revision(*on_, sql_subject::avatars, game_id);
    audit_->write(*on_, {model::audit_action::avatar_remove,
                         subject_of(game_id) + "/avatars/" + to_string(upload_id),
                         describe_name(*name),
                         {}});
  });
}

base::expected<std::vector<image_key>>
erasure_store::removed_images(std::size_t limit, std::chrono::milliseconds replaced_for) {
  static constexpr sql_command query{
      "SELECT upload_id, image_digest, image_type FROM removed_images "
      "WHERE replaced_ts IS NULL OR replaced_ts <= $1 ORDER BY upload_id, image_digest LIMIT $2",
      "read the images of removed avatars"};
  return look(query.operation, [&] {
    std::vector<image_key> found;
    const auto until_ts = select_store_time(*on_) - replaced_for.count();
    on_->each(query, {until_ts, limit}, [&](sql_row& row) {
      if (const auto image = read_image(row, 1)) found.push_back({row.uuid(0), *image});
    });
    return found;
  });
}

base::expected<void> erasure_store::forget_removed_image(const image_key& key) {
  static constexpr sql_command drop{
      "DELETE FROM removed_images WHERE upload_id = $1 AND image_digest = $2 AND image_type = $3",
      "forget the image of a removed avatar"};
  return run_alone(drop, {key.upload_id, key.name.digest, image_type_column(key.name.type)});
}

base::expected<bool> sql_session::has_image(const image_key& key,
                                            std::chrono::milliseconds replaced_for) {
  static constexpr sql_command query{
      "SELECT 1 FROM avatars AS a WHERE upload_id = $1 AND "
      "((image_digest = $2 AND image_type = $3) OR EXISTS (SELECT 1 FROM removed_images AS r WHERE "
      "r.upload_id = $1 AND r.image_digest = $2 AND r.image_type = $3 AND r.replaced_ts > $4)) AND "
      "NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.game_id = a.game_id)",
      "look for an image"};
  return look(query.operation, [&] {
    return on_->has(query, {key.upload_id, key.name.digest, image_type_column(key.name.type),
                            select_store_time(*on_) - replaced_for.count()});
  });
}

} // namespace matchcloud::store
