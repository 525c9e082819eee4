#include "store/sql/sql_session.hpp"

#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

/// A statement that reads whole records.
std::string reading(std::string_view which) {
  return "SELECT export_id, game_id, query_start, query_end, generation, keep_until_ts, "
         "size_bytes, sha256, owner, leased_until_ts, lobbies_revision, catalog_revision, "
         "taken_ts, has_running, complete_from_ts FROM exports " +
         std::string{which};
}

/// The columns of a query's span. In the dialect `excel` start and end are swapped, which no exact
/// query has, so processes of earlier versions do not confuse the two. A query of that dialect
/// never has an empty span.
struct span_columns {
  std::int64_t start;
  std::int64_t end;

  explicit span_columns(const model::export_query& of) noexcept
      : start{std::bit_cast<std::int64_t>(of.span.begin)},
        end{std::bit_cast<std::int64_t>(of.span.end)} {
    if (of.dialect == model::csv_dialect::excel) std::swap(start, end);
  }
};

model::export_query read_query(sql_row& row, int game_id, int start, int end) {
  const model::time_span span{std::bit_cast<std::uint64_t>(row.integer(start)),
                              std::bit_cast<std::uint64_t>(row.integer(end))};
  if (span.begin <= span.end) return {row.uuid(game_id), span};
  return {row.uuid(game_id), {span.end, span.begin}, model::csv_dialect::excel};
}

export_record read_record(sql_row& row) {
  export_record each;
  each.facts.export_id = row.uuid(0);
  each.facts.query = read_query(row, 1, 2, 3);
  each.generation = row.integer(4);
  each.is_complete = !row.is_null(5);
  each.facts.keep_until_ts = row.integer(5);
  each.size_bytes = static_cast<std::uint64_t>(row.integer(6));
  each.sha256 = row.text(7);
  if (!row.is_null(8)) each.owner = row.uuid(8);
  each.leased_until_ts = row.integer(9);
  if (!row.is_null(12))
    each.snapshot =
        history_snapshot{{row.integer(10), row.integer(11)}, row.integer(12), row.integer(14)};
  each.has_running = row.integer(13) != 0;
  return each;
}

/// The columns of a snapshot.
struct snapshot_columns {
  std::optional<std::int64_t> lobbies_revision;
  std::optional<std::int64_t> catalog_revision;
  std::optional<std::int64_t> taken_ts;
  std::optional<std::int64_t> complete_from_ts;

  explicit snapshot_columns(const std::optional<history_snapshot>& of) {
    if (!of) return;
    lobbies_revision = of->revisions.lobbies;
    catalog_revision = of->revisions.catalog;
    taken_ts = of->taken_ts;
    if (of->complete_from_ts > 0) complete_from_ts = of->complete_from_ts;
  }
};

bool is_one(std::int64_t changed) {
  return changed == 1;
}

/// The key of the advisory lock for the exports of a query. Queries that share a key merely wait
/// for each other.
std::int64_t lock_key_of(const model::export_query& query) {
  std::uint64_t key = 0x6D636C6400657870; // "mcld", to differ from other programs' keys
  for (const auto byte : query.game_id.bytes)
    key = key * 1'099'511'628'211 + byte;
  key = (key ^ query.span.begin) * 0x9E3779B97F4A7C15;
  return std::bit_cast<std::int64_t>((key ^ query.span.end) * 0x9E3779B97F4A7C15);
}

/// Waits for other transactions that claim an export of the query to end.
base::expected<void> lock_claims_of(sql_connection& on, const model::export_query& query) {
  static constexpr sql_command lock{"SELECT pg_advisory_xact_lock($1)",
                                    "wait for others who claim the export"};
  // SQLite has one writer at a time.
  if (on.dialect() == sql_dialect::sqlite) return {};
  return for_each_row(on, lock, {lock_key_of(query)}, [](sql_row&) {});
}

base::expected<void> insert_export(sql_connection& on, const export_record& record,
                                   std::int64_t begun_ts) {
  static constexpr sql_command insert{
      "INSERT INTO exports (export_id, game_id, query_start, query_end, generation, begun_ts, "
      "owner, leased_until_ts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      "note the export"};
  const auto& query = record.facts.query;
  const span_columns span{query};
  return on.run(insert, {record.facts.export_id, query.game_id, span.start, span.end,
                         record.generation, begun_ts, record.owner, record.leased_until_ts});
}

/// Gives the export with the generation before `record`'s the generation and owner of `record`.
/// Returns false if there is no such incomplete export.
base::expected<bool> take_over_export(sql_connection& on, const export_record& record,
                                      std::int64_t begun_ts) {
  static constexpr sql_command update{
      "UPDATE exports SET generation = $1, begun_ts = $2, owner = $3, leased_until_ts = $4, "
      "lobbies_revision = NULL, catalog_revision = NULL, taken_ts = NULL, complete_from_ts = NULL "
      "WHERE export_id = $5 AND generation = $6 AND keep_until_ts IS NULL",
      "take over the export"};
  return on
      .count_changes(update, {record.generation, begun_ts, record.owner, record.leased_until_ts,
                              record.facts.export_id, record.generation - 1})
      .map(is_one);
}

/// Reads the exports of a query, and what a new one would cover.
base::expected<query_exports> select_query_exports(sql_connection& on,
                                                   const model::export_query& query) {
  static const auto sql = reading("WHERE game_id = $1 AND query_start = $2 AND query_end = $3 "
                                  "ORDER BY coalesce(leased_until_ts, 0) DESC, export_id LIMIT $4");
  static const sql_command select{sql, "look for the exports of a query"};
  query_exports found;
  // Before the records: an export that completes or begins reading in between covers these.
  const auto revisions = select_history_revisions(on, query.game_id);
  if (!revisions) return tl::unexpected(revisions.error());
  found.revisions = *revisions;
  const auto now_ts = select_store_time(on);
  if (!now_ts) return tl::unexpected(now_ts.error());
  found.now_ts = *now_ts;
  const span_columns span{query};
  auto read = for_each_row(
      on, select,
      {query.game_id, span.start, span.end, static_cast<std::int64_t>(records_of_query_limit)},
      [&](sql_row& row) { found.records.push_back(read_record(row)); });
  if (!read) return tl::unexpected(read.error());
  return found;
}

/// How often a claim looks for an export to take over. Each time it finds an abandoned one, and
/// only its owner can interfere.
constexpr int claim_attempts = 4;

/// The outcome of `claim`, given the existing exports.
export_claimed claim_of(const query_exports& known, const export_claim& claim) {
  if (const auto* whole = known.find_whole(claim.linked_until_ts))
    return {false, *whole, known.revisions};
  if (const auto* running = known.find_running()) return {false, *running, known.revisions};
  export_claimed mine{true, {}, known.revisions};
  mine.record.facts = {claim.export_id, claim.query};
  if (const auto* abandoned = known.find_abandoned()) {
    mine.record.facts.export_id = abandoned->facts.export_id;
    mine.record.generation = abandoned->generation + 1;
  }
  mine.record.owner = claim.owner;
  mine.record.leased_until_ts = known.now_ts + claim.lease.count();
  return mine;
}

} // namespace

base::expected<export_claimed> sql_session::claim_export(const export_claim& claim) {
  export_claimed claimed;
  auto done = change_unrevised("claim an export", [&]() -> base::expected<void> {
    if (auto locked = lock_claims_of(*on_, claim.query); !locked) return locked;
    // The owner of an abandoned export may still complete or forget it before it is taken over.
    for (int i = 0; i < claim_attempts; ++i) {
      const auto known = select_query_exports(*on_, claim.query);
      if (!known) return tl::unexpected(known.error());
      claimed = claim_of(*known, claim);
      if (!claimed.is_own) return {};
      if (claimed.record.generation == 1)
        return insert_export(*on_, claimed.record, claim.begun_ts);
      const auto taken = take_over_export(*on_, claimed.record, claim.begun_ts);
      if (!taken) return tl::unexpected(taken.error());
      if (*taken) return {};
    }
    return on_->failure("claim an export", "the owners of abandoned exports kept changing them");
  });
  if (!done) return tl::unexpected(done.error());
  return claimed;
}

base::expected<bool> sql_session::renew_export(const export_record& mine,
                                               std::chrono::milliseconds lease) {
  static constexpr sql_command update{
      "UPDATE exports SET leased_until_ts = $1, lobbies_revision = $2, catalog_revision = $3, "
      "taken_ts = $4, complete_from_ts = $5 "
      "WHERE export_id = $6 AND generation = $7 AND keep_until_ts IS NULL",
      "renew the lease of an export"};
  return change_unrevised("renew the lease of an export", [&]() -> base::expected<bool> {
    const auto now_ts = select_store_time(*on_);
    if (!now_ts) return tl::unexpected(now_ts.error());
    const snapshot_columns of{mine.snapshot};
    return on_
        ->count_changes(update,
                        {*now_ts + lease.count(), of.lobbies_revision, of.catalog_revision,
                         of.taken_ts, of.complete_from_ts, mine.facts.export_id, mine.generation})
        .map(is_one);
  });
}

base::expected<bool> sql_session::complete_export(const export_record& whole) {
  static constexpr sql_command update{
      "UPDATE exports SET keep_until_ts = $1, size_bytes = $2, sha256 = $3, lobbies_revision = $4, "
      "catalog_revision = $5, taken_ts = $6, has_running = $7, complete_from_ts = $8 "
      "WHERE export_id = $9 AND generation = $10 AND keep_until_ts IS NULL",
      "note that the export is complete"};
  return change_unrevised("complete an export", [&]() -> base::expected<bool> {
    const snapshot_columns of{whole.snapshot};
    return on_
        ->count_changes(update,
                        {whole.facts.keep_until_ts, static_cast<std::int64_t>(whole.size_bytes),
                         whole.sha256, of.lobbies_revision, of.catalog_revision, of.taken_ts,
                         std::int64_t{whole.has_running}, of.complete_from_ts,
                         whole.facts.export_id, whole.generation})
        .map(is_one);
  });
}

base::expected<query_exports> sql_session::exports_of(const model::export_query& query) {
  return on_->begin_reading("look for the exports of a query").and_then([&] {
    return select_query_exports(*on_, query);
  });
}

base::expected<void> sql_session::forget_export(const export_record& which) {
  static constexpr sql_command remove{
      "DELETE FROM exports WHERE export_id = $1 AND generation = $2", "forget an export"};
  return change_unrevised("forget an export", [&] {
    return on_->run(remove, {which.facts.export_id, which.generation});
  });
}

base::expected<std::optional<export_record>>
sql_session::find_export(const model::uuid& export_id) {
  static const auto sql = reading("WHERE export_id = $1 AND keep_until_ts IS NOT NULL");
  static const sql_command query{sql, "look for an export"};
  if (auto begun = on_->begin_reading(query.operation); !begun)
    return tl::unexpected(begun.error());
  std::optional<export_record> found;
  auto read =
      for_each_row(*on_, query, {export_id}, [&](sql_row& row) { found = read_record(row); });
  if (!read) return tl::unexpected(read.error());
  return found;
}

base::expected<std::vector<export_record>>
sql_session::exports_over(std::int64_t now_ts, std::int64_t begun_before_ts, std::size_t limit) {
  static const auto sql =
      reading("WHERE keep_until_ts <= $1 OR (keep_until_ts IS NULL AND begun_ts < $2) LIMIT $3");
  static const sql_command query{sql, "look for expired exports"};
  if (auto begun = on_->begin_reading(query.operation); !begun)
    return tl::unexpected(begun.error());
  std::vector<export_record> over;
  auto read = for_each_row(*on_, query, {now_ts, begun_before_ts, static_cast<std::int64_t>(limit)},
                           [&](sql_row& row) { over.push_back(read_record(row)); });
  if (!read) return tl::unexpected(read.error());
  return over;
}

base::expected<std::vector<export_record>> sql_session::exports_of_game(const model::uuid& game_id,
                                                                        std::size_t limit) {
  static const auto sql = reading("WHERE game_id = $1 LIMIT $2");
  static const sql_command query{sql, "look for the exports of a game"};
  if (auto begun = on_->begin_reading(query.operation); !begun)
    return tl::unexpected(begun.error());
  std::vector<export_record> found;
  auto read = for_each_row(*on_, query, {game_id, static_cast<std::int64_t>(limit)},
                           [&](sql_row& row) { found.push_back(read_record(row)); });
  if (!read) return tl::unexpected(read.error());
  return found;
}

base::expected<void>
sql_session::read_exports(const std::function<bool(const export_record&)>& take) {
  static const auto sql = reading({});
  static const sql_command query{sql, "read the exports"};
  if (auto begun = on_->begin_reading(query.operation); !begun) return begun;
  return on_->select(query, {}, [&](sql_row& row) { return take(read_record(row)); });
}

base::expected<export_usages> sql_session::export_usage_now() {
  static constexpr sql_command query{
      "SELECT game_id, count(*), CAST(coalesce(sum(size_bytes), 0) AS bigint) FROM exports "
      "WHERE keep_until_ts IS NOT NULL GROUP BY game_id",
      "count the exports"};
  if (auto begun = on_->begin_reading(query.operation); !begun)
    return tl::unexpected(begun.error());
  export_usages usage;
  auto read = for_each_row(*on_, query, {}, [&](sql_row& row) {
    usage[row.uuid(0)] = {static_cast<std::size_t>(row.integer(1)),
                          static_cast<std::uint64_t>(row.integer(2))};
  });
  if (!read) return tl::unexpected(read.error());
  return usage;
}

} // namespace matchcloud::store
