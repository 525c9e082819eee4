#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"
#include "store/sql/transactions.hpp"

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
  each.size_bytes = row.natural(6);
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
void lock_claims_of(sql_connection& on, const model::export_query& query) {
  static constexpr sql_command lock{"SELECT pg_advisory_xact_lock($1)",
                                    "wait for others who claim the export"};
  // SQLite has one writer at a time.
  if (on.dialect() == sql_dialect::postgres) on.has(lock, {lock_key_of(query)});
}

void insert_export(sql_connection& on, const export_record& record, std::int64_t begun_ts) {
  static constexpr sql_command insert{
      "INSERT INTO exports (export_id, game_id, query_start, query_end, generation, begun_ts, "
      "owner, leased_until_ts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      "note the export"};
  const span_columns span{record.facts.query};
  on.run(insert, {record.facts.export_id, record.facts.query.game_id, span.start, span.end,
                  record.generation, begun_ts, record.owner, record.leased_until_ts});
}

/// Gives the export with the generation before `record`'s the generation and owner of `record`.
/// Returns false if there is no such incomplete export.
bool take_over_export(sql_connection& on, const export_record& record, std::int64_t begun_ts) {
  static constexpr sql_command update{
      "UPDATE exports SET generation = $1, begun_ts = $2, owner = $3, leased_until_ts = $4, "
      "lobbies_revision = NULL, catalog_revision = NULL, taken_ts = NULL, complete_from_ts = NULL "
      "WHERE export_id = $5 AND generation = $6 AND keep_until_ts IS NULL",
      "take over the export"};
  return on.count_changes(update,
                          {record.generation, begun_ts, record.owner, record.leased_until_ts,
                           record.facts.export_id, record.generation - 1}) == 1;
}

/// Reads the exports of a query, and what a new one would cover.
query_exports select_query_exports(sql_connection& on, const model::export_query& query) {
  static const auto sql = reading("WHERE game_id = $1 AND query_start = $2 AND query_end = $3 "
                                  "ORDER BY coalesce(leased_until_ts, 0) DESC, export_id LIMIT $4");
  static const sql_command select{sql, "look for the exports of a query"};
  query_exports found;
  // Before the records: an export that completes or begins reading in between covers these.
  found.revisions = select_history_revisions(on, query.game_id);
  found.now_ts = select_store_time(on);
  const span_columns span{query};
  found.records =
      on.all(select, {query.game_id, span.start, span.end, records_of_query_limit}, read_record);
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

base::expected<export_claimed> export_records::claim_export(const export_claim& claim) {
  return change(std::nullopt, "claim an export", [&] {
    lock_claims_of(*on_, claim.query);
    // The owner of an abandoned export may still complete or forget it before it is taken over.
    for (int i = 0; i < claim_attempts; ++i) {
      const auto claimed = claim_of(select_query_exports(*on_, claim.query), claim);
      if (!claimed.is_own) return claimed;
      if (claimed.record.generation == 1) {
        insert_export(*on_, claimed.record, claim.begun_ts);
        return claimed;
      }
      if (take_over_export(*on_, claimed.record, claim.begun_ts)) return claimed;
    }
    throw on_->failure("claim an export", "the owners of abandoned exports kept changing them");
  });
}

base::expected<bool> export_records::renew_export(const export_record& mine,
                                                  std::chrono::milliseconds lease) {
  static constexpr sql_command update{
      "UPDATE exports SET leased_until_ts = $1, lobbies_revision = $2, catalog_revision = $3, "
      "taken_ts = $4, complete_from_ts = $5 "
      "WHERE export_id = $6 AND generation = $7 AND keep_until_ts IS NULL",
      "renew the lease of an export"};
  return change(std::nullopt, update.operation, [&] {
    const snapshot_columns of{mine.snapshot};
    return on_->count_changes(update, {select_store_time(*on_) + lease.count(), of.lobbies_revision,
                                       of.catalog_revision, of.taken_ts, of.complete_from_ts,
                                       mine.facts.export_id, mine.generation}) == 1;
  });
}

base::expected<bool> export_records::complete_export(const export_record& whole) {
  static constexpr sql_command update{
      "UPDATE exports SET keep_until_ts = $1, size_bytes = $2, sha256 = $3, lobbies_revision = $4, "
      "catalog_revision = $5, taken_ts = $6, has_running = $7, complete_from_ts = $8 "
      "WHERE export_id = $9 AND generation = $10 AND keep_until_ts IS NULL",
      "note that the export is complete"};
  return change(std::nullopt, update.operation, [&] {
    const snapshot_columns of{whole.snapshot};
    return on_->count_changes(update, {whole.facts.keep_until_ts, whole.size_bytes, whole.sha256,
                                       of.lobbies_revision, of.catalog_revision, of.taken_ts,
                                       whole.has_running, of.complete_from_ts,
                                       whole.facts.export_id, whole.generation}) == 1;
  });
}

base::expected<void> export_records::adopt_export(const export_record& whole) {
  static constexpr sql_command insert{
      "INSERT INTO exports (export_id, game_id, query_start, query_end, generation, begun_ts, "
      "keep_until_ts, size_bytes) VALUES ($1, $2, $3, $4, 1, 0, $5, $6) "
      "ON CONFLICT (export_id) DO NOTHING",
      "adopt an export"};
  const span_columns span{whole.facts.query};
  return run_alone(insert, {whole.facts.export_id, whole.facts.query.game_id, span.start, span.end,
                            whole.facts.keep_until_ts, whole.size_bytes});
}

base::expected<query_exports> export_records::exports_of(const model::export_query& query) {
  return look("look for the exports of a query", [&] { return select_query_exports(*on_, query); });
}

base::expected<void> export_records::forget_export(const export_record& which) {
  static constexpr sql_command remove{
      "DELETE FROM exports WHERE export_id = $1 AND generation = $2", "forget an export"};
  return run_alone(remove, {which.facts.export_id, which.generation});
}

base::expected<std::optional<export_record>>
export_records::find_export(const model::uuid& export_id) {
  static const auto sql = reading("WHERE export_id = $1 AND keep_until_ts IS NOT NULL");
  static const sql_command query{sql, "look for an export"};
  return look(query.operation, [&] { return on_->first(query, {export_id}, read_record); });
}

base::expected<std::vector<export_record>>
export_records::exports_over(std::int64_t now_ts, std::int64_t begun_before_ts, std::size_t limit) {
  static const auto sql =
      reading("WHERE keep_until_ts <= $1 OR (keep_until_ts IS NULL AND begun_ts < $2) LIMIT $3");
  static const sql_command query{sql, "look for expired exports"};
  return all_of(query, {now_ts, begun_before_ts, limit}, read_record);
}

base::expected<std::vector<export_record>>
export_records::exports_of_game(const model::uuid& game_id, std::size_t limit) {
  static const auto sql = reading("WHERE game_id = $1 LIMIT $2");
  static const sql_command query{sql, "look for the exports of a game"};
  return all_of(query, {game_id, limit}, read_record);
}

base::expected<void>
export_records::read_exports(const std::function<bool(const export_record&)>& take) {
  static const auto sql = reading({});
  static const sql_command query{sql, "read the exports"};
  return look(query.operation, [&] {
    on_->select(query, {}, [&](sql_row& row) { return take(read_record(row)); });
  });
}

base::expected<export_usages> export_records::export_usage_now() {
  static constexpr sql_command query{
      "SELECT game_id, count(*), CAST(coalesce(sum(size_bytes), 0) AS bigint) FROM exports "
      "WHERE keep_until_ts IS NOT NULL GROUP BY game_id",
      "count the exports"};
  return look(query.operation, [&] {
    export_usages usage;
    on_->each(query, {}, [&](sql_row& row) {
      usage[row.uuid(0)] = {static_cast<std::size_t>(row.integer(1)), row.natural(2)};
    });
    return usage;
  });
}

} // namespace matchcloud::store
