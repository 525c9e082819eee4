#include "store/sql/export_table.hpp"

#include <bit>
#include <optional>

namespace matchcloud::store {

namespace {

export_record read_record(sql_row& row) {
  export_record each;
  each.facts.export_id = row.uuid(0);
  each.facts.query.game_id = row.uuid(1);
  each.facts.query.span.begin = std::bit_cast<std::uint64_t>(row.integer(2));
  each.facts.query.span.end = std::bit_cast<std::uint64_t>(row.integer(3));
  each.generation = row.integer(4);
  each.is_complete = !row.is_null(5);
  each.facts.keep_until_ts = row.integer(5);
  each.size_bytes = static_cast<std::uint64_t>(row.integer(6));
  each.sha256 = row.text(7);
  return each;
}

} // namespace

base::expected<void> insert_export(sql_connection& on, const model::uuid& export_id,
                                   const model::export_query& query, std::int64_t begun_ts) {
  static constexpr sql_command insert{
      "INSERT INTO exports (export_id, game_id, query_start, query_end, generation, begun_ts) "
      "VALUES ($1, $2, $3, $4, 1, $5)",
      "note the export"};
  return on.run(insert, {export_id, query.game_id, std::bit_cast<std::int64_t>(query.span.begin),
                         std::bit_cast<std::int64_t>(query.span.end), begun_ts});
}

base::expected<bool> complete_export(sql_connection& on, const export_record& whole) {
  static constexpr sql_command update{
      "UPDATE exports SET keep_until_ts = $1, size_bytes = $2, sha256 = $3 "
      "WHERE export_id = $4 AND generation = $5 AND keep_until_ts IS NULL",
      "note that the export is complete"};
  return on
      .count_changes(update,
                     {whole.facts.keep_until_ts, static_cast<std::int64_t>(whole.size_bytes),
                      whole.sha256, whole.facts.export_id, whole.generation})
      .map([](std::int64_t changed) { return changed == 1; });
}

base::expected<std::optional<export_record>> select_export(sql_connection& on,
                                                           const model::uuid& export_id) {
  static constexpr sql_command query{
      "SELECT export_id, game_id, query_start, query_end, generation, keep_until_ts, size_bytes, "
      "sha256 FROM exports WHERE export_id = $1 AND keep_until_ts IS NOT NULL",
      "look for an export"};
  std::optional<export_record> found;
  auto read = for_each_row(on, query, {export_id}, [&](sql_row& row) { found = read_record(row); });
  if (!read) return tl::unexpected(read.error());
  return found;
}

base::expected<void> delete_export(sql_connection& on, const model::uuid& export_id) {
  static constexpr sql_command remove{"DELETE FROM exports WHERE export_id = $1",
                                      "forget an export"};
  return on.run(remove, {export_id});
}

base::expected<std::vector<export_record>> select_exports_over(sql_connection& on,
                                                               std::int64_t now_ts,
                                                               std::int64_t begun_before_ts,
                                                               std::size_t limit) {
  static constexpr sql_command query{
      "SELECT export_id, game_id, query_start, query_end, generation, keep_until_ts, size_bytes, "
      "sha256 FROM exports WHERE keep_until_ts <= $1 OR (keep_until_ts IS NULL AND begun_ts < $2) "
      "LIMIT $3",
      "look for exports that are over"};
  std::vector<export_record> over;
  auto read = for_each_row(on, query, {now_ts, begun_before_ts, static_cast<std::int64_t>(limit)},
                           [&](sql_row& row) { over.push_back(read_record(row)); });
  if (!read) return tl::unexpected(read.error());
  return over;
}

base::expected<void> select_exports(sql_connection& on,
                                    const std::function<bool(const export_record&)>& take) {
  static constexpr sql_command query{
      "SELECT export_id, game_id, query_start, query_end, generation, keep_until_ts, size_bytes, "
      "sha256 FROM exports",
      "read the exports"};
  return on.select(query, {}, [&](sql_row& row) { return take(read_record(row)); });
}

base::expected<export_usage> select_export_usage(sql_connection& on) {
  static constexpr sql_command query{
      "SELECT count(*), CAST(coalesce(sum(size_bytes), 0) AS bigint) FROM exports "
      "WHERE keep_until_ts IS NOT NULL",
      "count the exports"};
  export_usage usage;
  auto read = for_each_row(on, query, {}, [&](sql_row& row) {
    usage = {static_cast<std::size_t>(row.integer(0)), static_cast<std::uint64_t>(row.integer(1))};
  });
  if (!read) return tl::unexpected(read.error());
  return usage;
}

} // namespace matchcloud::store
