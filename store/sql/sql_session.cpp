#include "store/sql/sql_session.hpp"
#include "store/sql/transactions.hpp"

#include "store/sql/lobby_rows.hpp"
#include "store/sql/shared_statements.hpp"

#include <chrono>

namespace matchcloud::store {

namespace {

/// How long after the end of a replica's lease its row is removed.
constexpr std::chrono::milliseconds forgotten_after = std::chrono::hours{1};

} // namespace

// -- lobby_sink, lobby_history, change_feed -------------------------------------

base::expected<lobby_merge> sql_session::merge(lobby_batch records,
                                               const model::lobby_attributes_table& attributes) {
  return base::attempt([&] { return lobbies().merge(records, attributes, own_audit_); });
}

void sql_session::merge_together(std::span<merge_part> parts) {
  lobbies().merge_together(parts);
}

base::expected<lobby_merge> sql_session::check(lobby_batch records,
                                               const model::lobby_attributes_table& attributes) {
  return base::attempt([&] { return lobbies().check(records, attributes); });
}

base::expected<std::vector<attributes_check>>
sql_session::check_attributes(const model::lobby_attributes_table& attributes) {
  return base::attempt([&] { return lobbies().check_attributes(attributes); });
}

base::expected<void> sql_session::read(const model::export_query& query, const base::clock& clock,
                                       const history_reader& to) {
  return base::attempt([&] { lobbies().read(query, clock, to); });
}

base::expected<bool> sql_session::has_any() {
  static constexpr sql_command query{"SELECT 1 FROM lobbies LIMIT 1", "look for lobbies"};
  return look(query.operation, [&] { return on_->has(query, {}); });
}

base::expected<history_revisions> sql_session::revisions(const model::uuid& game_id) {
  return read_at_once("begin reading revisions",
                      [&] { return select_history_revisions(*on_, game_id); });
}

base::expected<std::optional<found_lobby>> sql_session::find_lobby(const model::uuid& game_id,
                                                                   const model::uuid& lobby_id) {
  static constexpr sql_command query{
      "SELECT start_ts, stop_ts, kind FROM lobbies WHERE lobby_id = $1 AND game_id = $2",
      "look for a lobby"};
  // One snapshot, because an erasure removes a lobby and later its attributes.
  return read_at_once(query.operation, [&] {
    std::int64_t kind = 0;
    auto found = on_->first(query, {lobby_id, game_id}, [&](sql_row& row) {
      kind = row.integer(2);
      return found_lobby{{row.integer(0), row.optional_integer(1)}, {}};
    });
    attribute_columns known{model::csv_dialect::exact};
    if (found) found->attribute_columns = known.of(*on_, kind);
    return found;
  });
}

base::expected<moved_games> sql_session::moved_games_since(std::int64_t known) {
  return look("look for games that changed", [&] { return read_moved_games(*on_, known); });
}

base::expected<void> sql_table::run_alone(const sql_command& what, sql_values with) {
  return change(std::nullopt, what.operation, [&] { on_->run(what, with); });
}

// -- replica_registry -----------------------------------------------------------

base::expected<std::uint32_t> replica_registry::renew_replica(const model::uuid& replica_id,
                                                              std::chrono::milliseconds lease) {
  static constexpr sql_command remove{"DELETE FROM replicas WHERE serving_until_ts <= $1",
                                      "forget replicas that are gone"};
  static constexpr sql_command upsert{
      "INSERT INTO replicas (replica_id, serving_until_ts) VALUES ($1, $2) "
      "ON CONFLICT (replica_id) DO UPDATE SET serving_until_ts = excluded.serving_until_ts",
      "renew the lease of a replica"};
  static constexpr sql_command count{"SELECT count(*) FROM replicas WHERE serving_until_ts > $1",
                                     "count the replicas"};
  return change(std::nullopt, upsert.operation, [&] {
    const auto now_ts = select_store_time(*on_);
    on_->run(upsert, {replica_id, now_ts + lease.count()});
    // Not those that may still renew: two replicas that renew and remove each other would deadlock.
    on_->run(remove, {now_ts - forgotten_after.count()});
    return static_cast<std::uint32_t>(on_->number(count, {now_ts}));
  });
}

base::expected<void> replica_registry::tell_replicas(const model::uuid& replica_id,
                                                     const std::string& summary) {
  static constexpr sql_command update{
      "UPDATE replicas SET summary = $1, told_ts = $2 WHERE replica_id = $3",
      "tell other replicas of this one"};
  return change(std::nullopt, update.operation, [&] {
    on_->run(update, {summary, select_store_time(*on_), replica_id});
  });
}

base::expected<std::vector<replica_told>> replica_registry::hear_replicas() {
  static constexpr sql_command query{
      "SELECT replica_id, coalesce(told_ts, 0), coalesce(summary, '') FROM replicas "
      "WHERE serving_until_ts > $1 ORDER BY replica_id LIMIT $2",
      "hear of other replicas"};
  return look(query.operation, [&] {
    const auto now_ts = select_store_time(*on_);
    return on_->all(query, {now_ts, replicas_heard_limit}, [](sql_row& row) {
      return replica_told{row.uuid(0), row.integer(1), row.string(2)};
    });
  });
}

base::expected<std::int64_t> replica_registry::store_time() {
  return look("read the store's time", [this] { return select_store_time(*on_); });
}

} // namespace matchcloud::store
