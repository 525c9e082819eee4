#include "store/copy/copied_tables.hpp"

#include <array>
#include <map>
#include <utility>

namespace matchcloud::store {

namespace {

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<copied_table>& all_tables() {
  using enum sql_type;
  static const std::vector<copied_table> all{
      {"regions",
       1,
       {{"region_id", text},
        {"region_display_name", text},
        {"provider_display_name", text},
        {"latitude", real},
        {"longitude", real},
        {"removed", integer},
        {"ping_url", text}}},
      // Those of a new store: another catalog has another revision.
      {"tiers", 1, {{"tier", text}, {"removed", integer}}, false, "1 = 1", "1 = 0"},
      {"games",
       1,
       {{"game_id", uuid},
        {"display_name", text},
        {"removed", integer},
        {"retention_days", integer}}},
      {"namespaces",
       1,
       {{"namespace_id", uuid},
        {"game_id", uuid, "games"},
        {"name", text},
        {"all_regions", integer},
        {"removed", integer}}},
      {"namespace_domains", 1, {{"domain", text}, {"namespace_id", uuid, "namespaces"}}},
      {"namespace_regions",
       2,
       {{"namespace_id", uuid, "namespaces"}, {"region_id", text, "regions"}}},
      {"game_revisions", 2, {{"subject", text}, {"game_id", uuid}, {"revision", integer}}},
      {"lobby_changes", 2, {{"game_id", uuid}, {"writer", uuid}, {"changes", integer}}},
      {"erasures",
       1,
       {{"game_id", uuid},
        {"begun_ms", integer},
        {"begun_transaction", integer},
        {"lobbies", integer},
        {"avatars", integer},
        {"exports", integer},
        {"tokens", integer},
        {"finished_ms", integer}}},
      {"avatars",
       1,
       {{"upload_id", uuid},
        {"game_id", uuid, "games"},
        {"display_name", text},
        {"create_ts", integer},
        {"content_length", integer},
        {"complete", integer},
        {"image_digest", blob},
        {"image_type", integer}}},
      {"lobby_kinds",
       1,
       {{"kind", integer},
        {"namespace_id", uuid, "namespaces"},
        {"region_id", text, "regions"},
        {"tier", text},
        {"version_id", uuid},
        {"version_name", text},
        {"game_mode", text}},
       true},
      // In the order in which they are clustered in SQLite, and indexed in PostgreSQL.
      {"lobbies",
       4,
       {{"game_id", uuid, "games"},
        {"duration_class", integer, {}, true},
        {"start_ts", integer},
        {"lobby_id", uuid},
        {"stop_ts", integer},
        {"kind", integer, "lobby_kinds"}}},
      {"history_horizons", 1, {{"game_id", uuid}, {"complete_from_ts", integer}}},
      {"tokens",
       1,
       {{"token_id", uuid},
        {"kind", text},
        {"name", text},
        {"scope", uuid},
        {"digest", blob},
        {"former_digest", blob},
        {"former_until_ms", integer},
        {"created_ms", integer},
        {"created_by", text},
        {"expires_ms", integer},
        {"revoked_ms", integer},
        {"cheap_limit", text},
        {"expensive_limit", text}}},
      {"token_uses", 1, {{"token_id", uuid}, {"last_use_ms", integer}}},
      {"latency_voices",
       2,
       {{"cell", integer},
        {"region_id", text},
        {"latitude", real},
        {"longitude", real},
        {"minute", integer},
        {"voices", blob},
        {"revision", integer}}},
      {"audit",
       1,
       {{"entry", integer},
        {"at_ms", integer},
        {"author_kind", text},
        {"author_name", text},
        {"author_id", text},
        {"address", text},
        {"request_id", text},
        {"action", text},
        {"subject", text},
        {"before", text},
        {"after", text}},
       true},
      {"revisions",
       1,
       {{"name", text}, {"revision", integer}},
       false,
       "name IN ('catalog', 'tokens', 'latencies')",
       "revision <> 0"},
  };
  return all;
}

} // namespace

std::span<const copied_table> copied_tables() {
  return all_tables();
}

namespace {

/// By `sql_type`.
constexpr std::array type_names{"bigint", "double precision", "text", "bytea", "uuid"};

/// Joins the texts that `part` returns for the columns.
template <class Part>
std::string join(std::span<const copied_column> columns, Part part) {
  std::string joined;
  for (const auto& each : columns)
    joined.append(joined.empty() ? "" : ", ").append(part(each));
  return joined;
}

std::string name_in(const copied_column& column) {
  return std::string{column.name};
}

/// The key's columns. Text is in the order of its bytes, as SQLite has it.
std::string key_of(const copied_table& table, sql_dialect dialect) {
  return join(std::span{table.columns}.first(table.key_size), [&](const copied_column& each) {
    const bool orders = dialect == sql_dialect::postgres && each.type == sql_type::text;
    return name_in(each) + (orders ? " COLLATE \"C\"" : "");
  });
}

std::string page_of(const copied_table& table, const std::string& key, const std::string& where) {
  std::string sql = "SELECT " + join(table.columns, name_in) + " FROM ";
  sql.append(table.name).append(" WHERE ").append(where);
  return sql + " ORDER BY " + key + " LIMIT " + std::to_string(copy_page_rows);
}

std::string next_page_of(const copied_table& table, const std::string& key) {
  int number = 0;
  const auto parameters =
      join(std::span{table.columns}.first(table.key_size),
           [&](const copied_column&) { return "$" + std::to_string(++number); });
  return page_of(table, key,
                 std::string{table.condition} + " AND (" + key + ") > (" + parameters + ")");
}

std::string insert_of(const copied_table& table, sql_dialect dialect) {
  std::string names;
  std::string parameters;
  int number = 0;
  for (const auto& each : table.columns) {
    if (each.is_generated && dialect == sql_dialect::postgres) continue;
    names.append(names.empty() ? "" : ", ").append(each.name);
    parameters.append(parameters.empty() ? "$" : ", $").append(std::to_string(++number));
    if (dialect == sql_dialect::postgres)
      parameters.append("::")
          .append(type_names.at(static_cast<std::size_t>(each.type)))
          .append("[]");
  }
  const auto values = dialect == sql_dialect::postgres ? "SELECT * FROM unnest(" + parameters + ")"
                                                       : "VALUES (" + parameters + ")";
  return "INSERT INTO " + std::string{table.name} + " (" + names + ") " + values;
}

std::string renumber_of(const copied_table& table) {
  const std::string name{table.name};
  const std::string number{table.columns.front().name};
  return "SELECT setval(pg_get_serial_sequence('" + name + "', '" + number + "'), coalesce(max(" +
         number + "), 1), max(" + number + ") IS NOT NULL) FROM " + name;
}

table_statements make(const copied_table& table, sql_dialect dialect) {
  const auto key = key_of(table, dialect);
  const std::string name{table.name};
  table_statements made;
  made.first_page = page_of(table, key, std::string{table.condition});
  made.next_page = next_page_of(table, key);
  made.insert = insert_of(table, dialect);
  const auto where = " FROM " + name + " WHERE " + std::string{table.condition};
  // Without a condition, SQLite drops all pages at once.
  made.clear =
      table.condition == copied_table{}.condition ? "DELETE FROM " + name : "DELETE" + where;
  made.is_used = "SELECT 1" + where + " AND " + std::string{table.is_used} + " LIMIT 1";
  if (dialect == sql_dialect::postgres) {
    made.analyze = "ANALYZE " + name;
    // SQLite continues after the highest number by itself.
    if (table.is_numbered) made.renumber = renumber_of(table);
  }
  made.reading = "read the table " + name;
  made.writing = "write the table " + name;
  return made;
}

using all_statements = std::map<std::pair<std::string_view, sql_dialect>, table_statements>;

all_statements make_all() {
  all_statements made;
  for (const auto dialect : {sql_dialect::sqlite, sql_dialect::postgres}) {
    for (const auto& each : copied_tables())
      made[{each.name, dialect}] = make(each, dialect);
  }
  return made;
}

} // namespace

const std::string& truncation_of_all() {
  static const auto sql = [] {
    std::string names;
    for (const auto& each : copied_tables().first(copied_tables().size() - 1))
      names.append(names.empty() ? "TRUNCATE " : ", ").append(each.name);
    return names;
  }();
  return sql;
}

const table_statements& statements_of(const copied_table& table, sql_dialect dialect) {
  static const auto all = make_all();
  return all.at({table.name, dialect});
}

} // namespace matchcloud::store
