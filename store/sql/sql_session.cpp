#include "store/sql/sql_session.hpp"

#include "store/sql/attribute_columns.hpp"
#include "store/sql/game_revisions.hpp"

#include <chrono>
#include <utility>

namespace matchcloud::store {

namespace {

/// How long after the end of a replica's lease its row is removed.
constexpr std::chrono::milliseconds forgotten_after = std::chrono::hours{1};

/// The start of a game's complete history; 0: none of it has expired.
base::expected<std::int64_t> read_horizon(sql_connection& on, const model::uuid& game_id) {
  static constexpr sql_command query{
      "SELECT complete_from_ts FROM history_horizons WHERE game_id = $1",
      "read from when on history is complete"};
  std::int64_t found = 0;
  auto read = for_each_row(on, query, {game_id}, [&](sql_row& row) { found = row.integer(0); });
  if (!read) return tl::unexpected(read.error());
  return found;
}

} // namespace

base::expected<history_revisions> select_history_revisions(sql_connection& on,
                                                           const model::uuid& game_id) {
  const auto lobbies = read_lobbies_revision(on, game_id);
  if (!lobbies) return tl::unexpected(lobbies.error());
  const auto catalog = read_catalog_revision(on);
  if (!catalog) return tl::unexpected(catalog.error());
  return history_revisions{*lobbies, *catalog};
}

base::expected<void> begin_history(sql_connection& on, const model::uuid& game_id,
                                   const base::clock& clock, const history_reader& to) {
  history_snapshot snapshot;
  snapshot.taken_ts = clock.unix_ms();
  const auto revisions = select_history_revisions(on, game_id);
  if (!revisions) return tl::unexpected(revisions.error());
  snapshot.revisions = *revisions;
  const auto horizon = read_horizon(on, game_id);
  if (!horizon) return tl::unexpected(horizon.error());
  snapshot.complete_from_ts = *horizon;
  if (to.begun) to.begun(snapshot);
  if (to.stop && to.stop()) return base::fail(base::errc::cancelled, "the export was given up");
  return {};
}

// -- lobby_sink, lobby_history, change_feed -------------------------------------

void sql_session::merge_together(std::span<merge_part> parts) {
  for (auto& each : parts) {
    audit_.attribute(each.run);
    each.merged = merge(each.records, *each.attributes);
  }
  audit_.attribute(nullptr);
}

base::expected<bool> sql_session::has_any() {
  static constexpr sql_command query{
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM lobbies) THEN 1 ELSE 0 END", "look for lobbies"};
  return on_->begin_reading(query.operation)
      .and_then([this] { return select_integer(*on_, query); })
      .map([](std::int64_t found) { return found != 0; });
}

base::expected<history_revisions> sql_session::revisions(const model::uuid& game_id) {
  const auto snapshot = sql_transaction::read(*on_, "begin reading revisions");
  if (!snapshot) return tl::unexpected(snapshot.error());
  return select_history_revisions(*on_, game_id);
}

base::expected<std::optional<found_lobby>> sql_session::find_lobby(const model::uuid& game_id,
                                                                   const model::uuid& lobby_id) {
  static constexpr sql_command query{
      "SELECT start_ts, stop_ts, kind FROM lobbies WHERE lobby_id = $1 AND game_id = $2",
      "look for a lobby"};
  // One snapshot, because an erasure removes a lobby and later its attributes.
  const auto snapshot = sql_transaction::read(*on_, std::string{query.operation});
  if (!snapshot) return tl::unexpected(snapshot.error());
  std::optional<found_lobby> found;
  std::int64_t kind = 0;
  auto read = for_each_row(*on_, query, {lobby_id, game_id}, [&](sql_row& row) {
    found = found_lobby{{row.integer(0), std::nullopt}, {}};
    if (!row.is_null(1)) found->times.stop_ts = row.integer(1);
    kind = row.integer(2);
  });
  if (!read) return tl::unexpected(read.error());
  if (!found) return found;
  attribute_columns known{model::csv_dialect::exact};
  const auto columns = known.of(*on_, kind);
  if (!columns) return tl::unexpected(columns.error());
  found->attribute_columns = **columns;
  return found;
}

base::expected<moved_games> sql_session::moved_games_since(std::int64_t known) {
  return on_->begin_reading("look for games that changed").and_then([&] {
    return read_moved_games(*on_, known);
  });
}

// -- replica_registry -----------------------------------------------------------

base::expected<std::uint32_t> sql_session::renew_replica(const model::uuid& replica_id,
                                                         std::chrono::milliseconds lease) {
  static constexpr sql_command remove{"DELETE FROM replicas WHERE serving_until_ts <= $1",
                                      "forget replicas that are gone"};
  static constexpr sql_command upsert{
      "INSERT INTO replicas (replica_id, serving_until_ts) VALUES ($1, $2) "
      "ON CONFLICT (replica_id) DO UPDATE SET serving_until_ts = excluded.serving_until_ts",
      "renew the lease of a replica"};
  static constexpr sql_command count{"SELECT count(*) FROM replicas WHERE serving_until_ts > $1",
                                     "count the replicas"};
  return change_unrevised("renew the lease of a replica", [&]() -> base::expected<std::uint32_t> {
    const auto now_ts = select_store_time(*on_);
    if (!now_ts) return tl::unexpected(now_ts.error());
    auto done = on_->run(upsert, {replica_id, *now_ts + lease.count()});
    // Not those that may still renew: two replicas that renew and remove each other would deadlock.
    if (done) done = on_->run(remove, {*now_ts - forgotten_after.count()});
    if (!done) return tl::unexpected(done.error());
    return select_integer(*on_, count, {*now_ts}).map([](std::int64_t all) {
      return static_cast<std::uint32_t>(all);
    });
  });
}

base::expected<void> sql_session::tell_replicas(const model::uuid& replica_id,
                                                const std::string& summary) {
  static constexpr sql_command update{
      "UPDATE replicas SET summary = $1, told_ts = $2 WHERE replica_id = $3",
      "tell other replicas of this one"};
  return change_unrevised("tell other replicas of this one", [&]() -> base::expected<void> {
    const auto now_ts = select_store_time(*on_);
    if (!now_ts) return tl::unexpected(now_ts.error());
    return on_->run(update, {summary, *now_ts, replica_id});
  });
}

base::expected<std::vector<replica_told>> sql_session::hear_replicas() {
  static constexpr sql_command query{
      "SELECT replica_id, coalesce(told_ts, 0), coalesce(summary, '') FROM replicas "
      "WHERE serving_until_ts > $1 ORDER BY replica_id LIMIT $2",
      "hear of other replicas"};
  const auto now_ts = store_time();
  if (!now_ts) return tl::unexpected(now_ts.error());
  std::vector<replica_told> heard;
  return for_each_row(*on_, query, {*now_ts, static_cast<std::int64_t>(replicas_heard_limit)},
                      [&](sql_row& row) {
                        heard.push_back({row.uuid(0), row.integer(1), std::string{row.text(2)}});
                      })
      .map([&] { return std::move(heard); });
}

base::expected<std::int64_t> sql_session::store_time() {
  return on_->begin_reading("read the store's time").and_then([this] {
    return select_store_time(*on_);
  });
}

} // namespace matchcloud::store
