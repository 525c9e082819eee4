#include "store/sql/lobby_rows.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/transactions.hpp"

#include "model/audit/audit.hpp"
#include "model/json/json_writer.hpp"
#include "model/lobbies/lobby.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

namespace matchcloud::store {

namespace {

/// The operation, for messages.
constexpr std::string_view removing = "remove lobbies";

/// The next duration class with lobbies of a game; nothing if there is none.
std::optional<int> next_class(sql_connection& on, const model::uuid& game_id, int after) {
  static constexpr sql_command query{
      "SELECT duration_class FROM lobbies WHERE game_id = $1 AND duration_class > $2 "
      "ORDER BY duration_class LIMIT 1",
      "look for expired lobbies"};
  return on.first(query, {game_id, after},
                  [](sql_row& row) { return static_cast<int>(row.integer(0)); });
}

/// The latest start of a lobby of a class that has stopped by the horizon.
constexpr std::int64_t last_start(std::int64_t horizon_ts, int duration_class) noexcept {
  // Class 0 also has lobbies of zero duration.
  return duration_class == 0 ? horizon_ts : horizon_ts - (std::int64_t{1} << duration_class);
}

/// Appends expired lobbies of one class, until there are `limit`.
void append_expired(sql_connection& on, const model::uuid& game_id, std::int64_t horizon_ts,
                    const lobby_place& after, std::size_t limit, std::vector<lobby_place>& to) {
  static constexpr sql_command query{
      "SELECT start_ts, lobby_id FROM lobbies WHERE game_id = $1 AND duration_class = $2 AND "
      "(start_ts, lobby_id) > ($3, $4) AND start_ts <= $5 AND stop_ts <= $6 "
      "ORDER BY start_ts, lobby_id LIMIT $7",
      "look for expired lobbies"};
  const auto wanted = limit - to.size();
  on.each(query,
          {game_id, after.duration_class, after.start_ts, after.lobby_id,
           last_start(horizon_ts, after.duration_class), horizon_ts, wanted},
          [&](sql_row& row) {
            to.push_back({after.duration_class, row.integer(0), row.uuid(1)});
          });
}

/// The position before all lobbies of a class.
lobby_place begin_of(int duration_class) {
  return {duration_class, std::numeric_limits<std::int64_t>::min(), {}};
}

void move_horizon(sql_connection& on, const model::uuid& game_id, std::int64_t horizon_ts) {
  static constexpr sql_command upsert{
      "INSERT INTO history_horizons (game_id, complete_from_ts) VALUES ($1, $2) "
      "ON CONFLICT (game_id) DO UPDATE SET complete_from_ts = excluded.complete_from_ts "
      "WHERE excluded.complete_from_ts > history_horizons.complete_from_ts",
      "note from when on history is complete"};
  on.run(upsert, {game_id, horizon_ts});
}

model::audit_change describe_expiry(const model::uuid& game_id, std::int64_t horizon_ts) {
  model::json_writer json;
  json.object().name("complete_from_ts").number(horizon_ts).end_object();
  return {model::audit_action::lobbies_expire, "games/" + to_string(game_id), {}, json.take()};
}

constexpr auto end_of_time = std::numeric_limits<std::int64_t>::max();

/// Removes lobbies one by one, because SQLite stores them in this order.
std::size_t delete_each(sql_connection& on, const model::uuid& game_id, std::int64_t until_ts,
                        std::span<const lobby_place> lobbies) {
  static constexpr sql_command drop{
      "DELETE FROM lobbies WHERE game_id = $1 AND duration_class = $2 AND "
      "start_ts = $3 AND lobby_id = $4 AND coalesce(stop_ts, $5) <= $6",
      removing};
  std::size_t gone = 0;
  for (const auto& each : lobbies)
    gone += on.count_changes(
        drop, {game_id, each.duration_class, each.start_ts, each.lobby_id, end_of_time, until_ts});
  return gone;
}

/// Removes all lobbies from the first to the last of each class. By their physical position in the
/// table: by id it takes eight times as long. Skips rows that other transactions hold, so that
/// there is no deadlock.
std::size_t delete_in_runs(sql_connection& on, const model::uuid& game_id, std::int64_t until_ts,
                           std::span<const lobby_place> lobbies) {
  static constexpr sql_command drop{
      "DELETE FROM lobbies WHERE ctid = ANY (ARRAY (SELECT ctid FROM lobbies WHERE game_id = $1 "
      "AND duration_class = $2 AND (start_ts, lobby_id) >= ($3, $4) AND "
      "(start_ts, lobby_id) <= ($5, $6) AND coalesce(stop_ts, CAST($7 AS bigint)) <= $8 "
      "FOR UPDATE SKIP LOCKED))",
      removing};
  std::size_t gone = 0;
  for (auto first = lobbies.begin(); first != lobbies.end();) {
    const auto end = std::find_if(first, lobbies.end(), [&](const lobby_place& each) {
      return each.duration_class != first->duration_class;
    });
    const auto& last = *std::prev(end);
    gone +=
        on.count_changes(drop, {game_id, first->duration_class, first->start_ts, first->lobby_id,
                                last.start_ts, last.lobby_id, end_of_time, until_ts});
    first = end;
  }
  return gone;
}

/// Whether a game's own retention is `days`. A change of it waits for the end of this transaction.
bool has_retention(sql_connection& on, const model::uuid& game_id,
                   std::optional<std::int64_t> days) {
  constexpr std::string_view operation = "read how long a game's history is kept";
  static constexpr sql_command of_sqlite{"SELECT retention_days FROM games WHERE game_id = $1",
                                         operation};
  static constexpr sql_command of_postgres{
      "SELECT retention_days FROM games WHERE game_id = $1 FOR SHARE", operation};
  const bool is_sqlite = on.dialect() == sql_dialect::sqlite;
  return on
      .first(is_sqlite ? of_sqlite : of_postgres, {game_id},
             [&](sql_row& row) { return row.optional_integer(0) == days; })
      .value_or(false);
}

} // namespace

base::expected<bool> retention_store::take_housekeeping(const model::uuid& owner,
                                                        std::chrono::milliseconds lease) {
  static constexpr sql_command take{
      "INSERT INTO duties (duty, owner, leased_until_ts) VALUES ('housekeeping', $1, $2) "
      "ON CONFLICT (duty) DO UPDATE SET owner = excluded.owner, "
      "leased_until_ts = excluded.leased_until_ts "
      "WHERE duties.owner = excluded.owner OR duties.leased_until_ts <= $3",
      "take the lease of housekeeping"};
  return change(std::nullopt, take.operation, [&] {
    const auto now_ts = select_store_time(*on_);
    return on_->count_changes(take, {owner, now_ts + lease.count(), now_ts}) > 0;
  });
}

base::expected<void> retention_store::leave_housekeeping(const model::uuid& owner) {
  static constexpr sql_command leave{
      "UPDATE duties SET leased_until_ts = 0 WHERE duty = 'housekeeping' AND owner = $1",
      "give back the lease of housekeeping"};
  return run_alone(leave, {owner});
}

base::expected<std::int64_t> retention_store::last_expiry() {
  static constexpr sql_command query{"SELECT leased_until_ts FROM duties WHERE duty = 'expiry'",
                                     "read when lobbies last expired"};
  return look(query.operation, [&] { return on_->number(query, {}, 0); });
}

base::expected<void> retention_store::note_expiry(std::int64_t now_ms) {
  static constexpr sql_command note{
      "INSERT INTO duties (duty, owner, leased_until_ts) VALUES ('expiry', $1, $2) "
      "ON CONFLICT (duty) DO UPDATE SET leased_until_ts = excluded.leased_until_ts",
      "note when lobbies expired"};
  return run_alone(note, {model::uuid{}, now_ms});
}

base::expected<std::optional<std::int64_t>>
retention_store::newest_lobby(const model::uuid& game_id) {
  static constexpr sql_command query{
      "SELECT max(start_ts) FROM lobbies WHERE game_id = $1 AND duration_class = $2",
      "look for the newest lobby"};
  return read_at_once(query.operation, [&] {
    std::optional<std::int64_t> newest;
    auto at = next_class(*on_, game_id, model::running_class);
    for (; at; at = next_class(*on_, game_id, *at)) {
      const auto of_class = on_->number(query, {game_id, *at});
      newest = std::max(newest.value_or(of_class), of_class);
    }
    return newest;
  });
}

base::expected<std::vector<kept_history>> retention_store::kept_histories() {
  static constexpr sql_command query{
      "SELECT games.game_id, games.retention_days, history_horizons.complete_from_ts FROM games "
      "LEFT JOIN history_horizons ON history_horizons.game_id = games.game_id WHERE NOT EXISTS "
      "(SELECT 1 FROM erasures WHERE erasures.game_id = games.game_id) ORDER BY games.game_id",
      "read how long history is kept"};
  return all_of(query, {}, [](sql_row& row) {
    return kept_history{row.uuid(0), row.optional_integer(1), row.integer(2)};
  });
}

base::expected<std::vector<model::lobby>>
retention_store::running_lobbies(const model::uuid& game_id, std::int64_t started_ts,
                                 const lobby_place& after, std::size_t limit) {
  static constexpr sql_command query{
      "SELECT lobby_id, start_ts, namespace_id, version_id, region_id, tier, version_name, "
      "game_mode FROM lobbies JOIN lobby_kinds USING (kind) WHERE game_id = $1 AND "
      "duration_class = $2 AND (start_ts, lobby_id) > ($3, $4) AND start_ts <= $5 "
      "ORDER BY start_ts, lobby_id LIMIT $6",
      "look for running lobbies"};
  return all_of(
      query, {game_id, model::running_class, after.start_ts, after.lobby_id, started_ts, limit},
      [](sql_row& row) {
        return model::lobby{row.uuid(0), {row.integer(1), std::nullopt}, attributes_at(row, 2)};
      });
}

base::expected<std::vector<lobby_place>>
retention_store::expired_lobbies(const model::uuid& game_id, std::int64_t horizon_ts,
                                 const lobby_place& after, std::size_t limit) {
  return read_at_once("look for expired lobbies", [&] {
    std::vector<lobby_place> found;
    // Running lobbies, which have no stop, come before all others.
    if (after.duration_class >= 0) append_expired(*on_, game_id, horizon_ts, after, limit, found);
    auto at = std::max(after.duration_class, model::running_class);
    while (found.size() < limit) {
      const auto next = next_class(*on_, game_id, at);
      if (!next) break;
      append_expired(*on_, game_id, horizon_ts, begin_of(*next), limit, found);
      at = *next;
    }
    return found;
  });
}

base::expected<std::uint64_t> retention_store::count_expired(const model::uuid& game_id,
                                                             std::int64_t horizon_ts,
                                                             std::uint64_t limit) {
  static constexpr sql_command query{
      "SELECT count(*) FROM (SELECT 1 FROM lobbies WHERE game_id = $1 AND duration_class = $2 AND "
      "start_ts <= $3 AND stop_ts <= $4 LIMIT $5) AS expired",
      "count expired lobbies"};
  return read_at_once(query.operation, [&] {
    std::uint64_t sum = 0;
    auto at = next_class(*on_, game_id, model::running_class);
    for (; at && sum < limit; at = next_class(*on_, game_id, *at))
      sum += static_cast<std::uint64_t>(
          on_->number(query, {game_id, *at, last_start(horizon_ts, *at), horizon_ts, limit - sum}));
    return sum;
  });
}

base::expected<std::optional<std::size_t>>
retention_store::expire_lobbies(const model::uuid& game_id,
                                std::optional<std::int64_t> retention_days, std::int64_t horizon_ts,
                                std::span<const lobby_place> lobbies) {
  return base::attempt([&]() -> std::optional<std::size_t> {
    auto changes = sql_transaction::write(*on_, std::nullopt, "remove expired lobbies");
    audit_->begin();
    if (!has_retention(*on_, game_id, retention_days)) return std::nullopt;
    const auto gone = delete_lobbies(*on_, game_id, horizon_ts, lobbies);
    // Nothing to commit, and no entry: a later batch of the same run that removes lobbies writes
    // it.
    if (gone == 0) return gone;
    move_horizon(*on_, game_id, horizon_ts);
    audit_->write(*on_, describe_expiry(game_id, horizon_ts));
    audit_->commit(changes);
    return gone;
  });
}

std::size_t delete_lobbies(sql_connection& on, const model::uuid& game_id,
                           std::optional<std::int64_t> horizon_ts,
                           std::span<const lobby_place> lobbies) {
  const auto until = horizon_ts.value_or(end_of_time);
  const auto removed = on.dialect() == sql_dialect::postgres
                           ? delete_in_runs(on, game_id, until, lobbies)
                           : delete_each(on, game_id, until, lobbies);
  if (removed > 0) move_lobbies_revision(on, game_id);
  return removed;
}

} // namespace matchcloud::store
