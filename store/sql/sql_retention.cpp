#include "store/sql/sql_session.hpp"

#include "model/audit/audit.hpp"
#include "model/json/json_writer.hpp"
#include "model/lobbies/lobby.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

/// The operation, for messages.
constexpr std::string_view removing = "remove lobbies";

std::vector<lobby_place> places_of(std::size_t limit) {
  std::vector<lobby_place> made;
  made.reserve(std::min<std::size_t>(limit, 10'000));
  return made;
}

/// The next duration class with lobbies of a game; nothing if there is none.
base::expected<std::optional<int>> next_class(sql_connection& on, const model::uuid& game_id,
                                              int after) {
  static constexpr sql_command query{
      "SELECT min(duration_class) FROM lobbies WHERE game_id = $1 AND duration_class > $2",
      "look for expired lobbies"};
  std::optional<int> found;
  auto read = for_each_row(on, query, {game_id, std::int64_t{after}}, [&](sql_row& row) {
    if (!row.is_null(0)) found = static_cast<int>(row.integer(0));
  });
  if (!read) return tl::unexpected(read.error());
  return found;
}

/// The latest start of a lobby of a class that has stopped by the horizon.
constexpr std::int64_t last_start(std::int64_t horizon_ts, int duration_class) noexcept {
  // Class 0 also has lobbies of zero duration.
  return duration_class == 0 ? horizon_ts : horizon_ts - (std::int64_t{1} << duration_class);
}

/// Appends expired lobbies of one class, until there are `limit`.
base::expected<void> append_expired(sql_connection& on, const model::uuid& game_id,
                                    std::int64_t horizon_ts, const lobby_place& after,
                                    std::size_t limit, std::vector<lobby_place>& to) {
  static constexpr sql_command query{
      "SELECT start_ts, lobby_id FROM lobbies WHERE game_id = $1 AND duration_class = $2 AND "
      "(start_ts, lobby_id) > ($3, $4) AND start_ts <= $5 AND stop_ts <= $6 "
      "ORDER BY start_ts, lobby_id LIMIT $7",
      "look for expired lobbies"};
  const auto wanted = static_cast<std::int64_t>(limit - to.size());
  return for_each_row(on, query,
                      {game_id, std::int64_t{after.duration_class}, after.start_ts, after.lobby_id,
                       last_start(horizon_ts, after.duration_class), horizon_ts, wanted},
                      [&](sql_row& row) {
                        to.push_back({after.duration_class, row.integer(0), row.uuid(1)});
                      });
}

/// The position before all lobbies of a class.
lobby_place begin_of(int duration_class) {
  return {duration_class, std::numeric_limits<std::int64_t>::min(), {}};
}

base::expected<void> move_horizon(sql_connection& on, const model::uuid& game_id,
                                  std::int64_t horizon_ts) {
  static constexpr sql_command upsert{
      "INSERT INTO history_horizons (game_id, complete_from_ts) VALUES ($1, $2) "
      "ON CONFLICT (game_id) DO UPDATE SET complete_from_ts = excluded.complete_from_ts "
      "WHERE excluded.complete_from_ts > history_horizons.complete_from_ts",
      "note from when on history is complete"};
  return on.run(upsert, {game_id, horizon_ts});
}

model::audit_change describe_expiry(const model::uuid& game_id, std::int64_t horizon_ts) {
  model::json_writer json;
  json.object().name("complete_from_ts").number(horizon_ts).end_object();
  return {model::audit_action::lobbies_expire, "games/" + to_string(game_id), {}, json.take()};
}

constexpr auto end_of_time = std::numeric_limits<std::int64_t>::max();

/// Removes lobbies one by one, because SQLite stores them in this order.
base::expected<std::int64_t> delete_each(sql_connection& on, const model::uuid& game_id,
                                         std::int64_t until_ts,
                                         std::span<const lobby_place> lobbies) {
  static constexpr sql_command drop{
      "/* SQLite */ DELETE FROM lobbies WHERE game_id = $1 AND duration_class = $2 AND "
      "start_ts = $3 AND lobby_id = $4 AND coalesce(stop_ts, $5) <= $6",
      removing};
  std::int64_t gone = 0;
  for (const auto& each : lobbies) {
    const auto removed =
        on.count_changes(drop, {game_id, std::int64_t{each.duration_class}, each.start_ts,
                                each.lobby_id, end_of_time, until_ts});
    if (!removed) return removed;
    gone += *removed;
  }
  return gone;
}

/// Removes all lobbies from the first to the last of each class. By their physical position in the
/// table: by id it takes eight times as long. Skips rows that other transactions hold, so that
/// there is no deadlock.
base::expected<std::int64_t> delete_in_runs(sql_connection& on, const model::uuid& game_id,
                                            std::int64_t until_ts,
                                            std::span<const lobby_place> lobbies) {
  static constexpr sql_command drop{
      "DELETE FROM lobbies WHERE ctid = ANY (ARRAY (SELECT ctid FROM lobbies WHERE game_id = $1 "
      "AND duration_class = $2 AND (start_ts, lobby_id) >= ($3, $4) AND "
      "(start_ts, lobby_id) <= ($5, $6) AND coalesce(stop_ts, CAST($7 AS bigint)) <= $8 "
      "FOR UPDATE SKIP LOCKED))",
      removing};
  std::int64_t gone = 0;
  for (auto first = lobbies.begin(); first != lobbies.end();) {
    const auto end = std::find_if(first, lobbies.end(), [&](const lobby_place& each) {
      return each.duration_class != first->duration_class;
    });
    const auto& last = *std::prev(end);
    const auto removed = on.count_changes(drop, {game_id, std::int64_t{first->duration_class},
                                                 first->start_ts, first->lobby_id, last.start_ts,
                                                 last.lobby_id, end_of_time, until_ts});
    if (!removed) return removed;
    gone += *removed;
    first = end;
  }
  return gone;
}

/// Whether a game's own retention is `days`. A change of it waits for the end of this transaction.
base::expected<bool> has_retention(sql_connection& on, const model::uuid& game_id,
                                   std::optional<std::int64_t> days) {
  constexpr std::string_view operation = "read how long a game's history is kept";
  static constexpr sql_command of_sqlite{
      "/* SQLite */ SELECT retention_days FROM games WHERE game_id = $1", operation};
  static constexpr sql_command of_postgres{
      "SELECT retention_days FROM games WHERE game_id = $1 FOR SHARE", operation};
  bool is_same = false;
  const auto is_sqlite = on.dialect() == sql_dialect::sqlite;
  auto read = for_each_row(on, is_sqlite ? of_sqlite : of_postgres, {game_id}, [&](sql_row& row) {
    is_same = row.is_null(0) ? !days : days == row.integer(0);
  });
  if (!read) return tl::unexpected(read.error());
  return is_same;
}

} // namespace

base::expected<bool> sql_session::take_housekeeping(const model::uuid& owner,
                                                    std::chrono::milliseconds lease) {
  static constexpr sql_command take{
      "INSERT INTO duties (duty, owner, leased_until_ts) VALUES ('housekeeping', $1, $2) "
      "ON CONFLICT (duty) DO UPDATE SET owner = excluded.owner, "
      "leased_until_ts = excluded.leased_until_ts "
      "WHERE duties.owner = excluded.owner OR duties.leased_until_ts <= $3",
      "take the lease of housekeeping"};
  return change_unrevised("take the lease of housekeeping", [&]() -> base::expected<bool> {
    const auto now_ts = select_store_time(*on_);
    if (!now_ts) return tl::unexpected(now_ts.error());
    return on_->count_changes(take, {owner, *now_ts + lease.count(), *now_ts})
        .map([](std::int64_t changed) { return changed > 0; });
  });
}

base::expected<void> sql_session::leave_housekeeping(const model::uuid& owner) {
  static constexpr sql_command leave{
      "UPDATE duties SET leased_until_ts = 0 WHERE duty = 'housekeeping' AND owner = $1",
      "give back the lease of housekeeping"};
  return change_unrevised("give back the lease of housekeeping",
                          [&] { return on_->run(leave, {owner}); });
}

base::expected<std::int64_t> sql_session::last_expiry() {
  static constexpr sql_command query{
      "SELECT coalesce(max(leased_until_ts), 0) FROM duties WHERE duty = 'expiry'",
      "read when lobbies last expired"};
  return select_integer(*on_, query);
}

base::expected<void> sql_session::note_expiry(std::int64_t now_ms) {
  static constexpr sql_command note{
      "INSERT INTO duties (duty, owner, leased_until_ts) VALUES ('expiry', $1, $2) "
      "ON CONFLICT (duty) DO UPDATE SET leased_until_ts = excluded.leased_until_ts",
      "note when lobbies expired"};
  return change_unrevised(std::string{note.operation}, [&] {
    return on_->run(note, {model::uuid{}, now_ms});
  });
}

base::expected<std::optional<std::int64_t>> sql_session::newest_lobby(const model::uuid& game_id) {
  static constexpr sql_command query{
      "SELECT max(start_ts) FROM lobbies WHERE game_id = $1 AND duration_class = $2",
      "look for the newest lobby"};
  const auto reading = sql_transaction::read(*on_, std::string{query.operation});
  if (!reading) return tl::unexpected(reading.error());
  std::optional<std::int64_t> newest;
  auto duration_class = next_class(*on_, game_id, model::running_class);
  while (duration_class && *duration_class) {
    const auto of_class = select_integer(*on_, query, {game_id, std::int64_t{**duration_class}});
    if (!of_class) return tl::unexpected(of_class.error());
    newest = std::max(newest.value_or(*of_class), *of_class);
    duration_class = next_class(*on_, game_id, **duration_class);
  }
  if (!duration_class) return tl::unexpected(duration_class.error());
  return newest;
}

base::expected<std::vector<kept_history>> sql_session::kept_histories() {
  static constexpr sql_command query{
      "SELECT games.game_id, games.retention_days, history_horizons.complete_from_ts FROM games "
      "LEFT JOIN history_horizons ON history_horizons.game_id = games.game_id WHERE NOT EXISTS "
      "(SELECT 1 FROM erasures WHERE erasures.game_id = games.game_id) ORDER BY games.game_id",
      "read how long history is kept"};
  std::vector<kept_history> all;
  if (auto begun = on_->begin_reading(query.operation); !begun)
    return tl::unexpected(begun.error());
  auto read = for_each_row(*on_, query, {}, [&](sql_row& row) {
    auto& each = all.emplace_back(kept_history{row.uuid(0)});
    if (!row.is_null(1)) each.retention_days = row.integer(1);
    each.complete_from_ts = row.integer(2);
  });
  if (!read) return tl::unexpected(read.error());
  return all;
}

base::expected<std::vector<model::lobby>> sql_session::running_lobbies(const model::uuid& game_id,
                                                                       std::int64_t started_ts,
                                                                       const lobby_place& after,
                                                                       std::size_t limit) {
  static constexpr sql_command query{
      "SELECT lobby_id, start_ts, namespace_id, version_id, region_id, tier, version_name, "
      "game_mode FROM lobbies JOIN lobby_kinds USING (kind) WHERE game_id = $1 AND "
      "duration_class = $2 AND (start_ts, lobby_id) > ($3, $4) AND start_ts <= $5 "
      "ORDER BY start_ts, lobby_id LIMIT $6",
      "look for running lobbies"};
  if (auto begun = on_->begin_reading(query.operation); !begun)
    return tl::unexpected(begun.error());
  std::vector<model::lobby> found;
  auto read = for_each_row(*on_, query,
                           {game_id, std::int64_t{model::running_class}, after.start_ts,
                            after.lobby_id, started_ts, static_cast<std::int64_t>(limit)},
                           [&](sql_row& row) {
                             found.push_back({row.uuid(0),
                                              {row.integer(1), std::nullopt},
                                              {row.uuid(2), row.uuid(3), std::string{row.text(4)},
                                               std::string{row.text(5)}, std::string{row.text(6)},
                                               std::string{row.text(7)}}});
                           });
  if (!read) return tl::unexpected(read.error());
  return found;
}

base::expected<std::vector<lobby_place>> sql_session::expired_lobbies(const model::uuid& game_id,
                                                                      std::int64_t horizon_ts,
                                                                      const lobby_place& after,
                                                                      std::size_t limit) {
  const auto reading = sql_transaction::read(*on_, "look for expired lobbies");
  if (!reading) return tl::unexpected(reading.error());
  auto found = places_of(limit);
  auto place = after;
  // Running lobbies, which have no stop, come before all others.
  if (place.duration_class < 0) place = begin_of(model::running_class);
  while (true) {
    if (place.duration_class >= 0) {
      auto done = append_expired(*on_, game_id, horizon_ts, place, limit, found);
      if (!done) return tl::unexpected(done.error());
      if (found.size() >= limit) return found;
    }
    const auto next = next_class(*on_, game_id, place.duration_class);
    if (!next) return tl::unexpected(next.error());
    if (!*next) return found;
    place = begin_of(**next);
  }
}

base::expected<std::uint64_t> sql_session::count_expired(const model::uuid& game_id,
                                                         std::int64_t horizon_ts,
                                                         std::uint64_t limit) {
  static constexpr sql_command query{
      "SELECT count(*) FROM (SELECT 1 FROM lobbies WHERE game_id = $1 AND duration_class = $2 AND "
      "start_ts <= $3 AND stop_ts <= $4 LIMIT $5) AS expired",
      "count expired lobbies"};
  const auto reading = sql_transaction::read(*on_, "count expired lobbies");
  if (!reading) return tl::unexpected(reading.error());
  std::uint64_t sum = 0;
  auto duration_class = next_class(*on_, game_id, model::running_class);
  while (duration_class && *duration_class && sum < limit) {
    const auto counted = select_integer(*on_, query,
                                        {game_id, std::int64_t{**duration_class},
                                         last_start(horizon_ts, **duration_class), horizon_ts,
                                         static_cast<std::int64_t>(limit - sum)});
    if (!counted) return tl::unexpected(counted.error());
    sum += static_cast<std::uint64_t>(*counted);
    duration_class = next_class(*on_, game_id, **duration_class);
  }
  if (!duration_class) return tl::unexpected(duration_class.error());
  return sum;
}

base::expected<std::optional<std::size_t>>
sql_session::expire_lobbies(const model::uuid& game_id, std::optional<std::int64_t> retention_days,
                            std::int64_t horizon_ts, std::span<const lobby_place> lobbies) {
  auto changes = sql_transaction::write(*on_, std::nullopt, "remove expired lobbies");
  if (!changes) return tl::unexpected(changes.error());
  const auto is_due = has_retention(*on_, game_id, retention_days);
  if (!is_due) return tl::unexpected(is_due.error());
  if (!*is_due) return std::nullopt;
  const auto gone = delete_lobbies(game_id, horizon_ts, lobbies);
  // Nothing to commit, and no entry: a later batch of the same run that removes lobbies writes it.
  if (!gone || *gone == 0) return gone;
  auto done = move_horizon(*on_, game_id, horizon_ts);
  if (done) done = audit_.write(*on_, describe_expiry(game_id, horizon_ts));
  if (done) done = audit_.commit(*changes);
  if (!done) return tl::unexpected(done.error());
  return gone;
}

base::expected<std::size_t> sql_session::delete_lobbies(const model::uuid& game_id,
                                                        std::optional<std::int64_t> horizon_ts,
                                                        std::span<const lobby_place> lobbies) {
  const auto until = horizon_ts.value_or(end_of_time);
  const auto removed = on_->dialect() == sql_dialect::postgres
                           ? delete_in_runs(*on_, game_id, until, lobbies)
                           : delete_each(*on_, game_id, until, lobbies);
  if (!removed) return tl::unexpected(removed.error());
  if (*removed > 0)
    if (auto moved = move_lobbies(game_id); !moved) return tl::unexpected(moved.error());
  return static_cast<std::size_t>(*removed);
}

} // namespace matchcloud::store
