#include "store/copy/copied_tables.hpp"

#include "base/crypto/sha256.hpp"
#include "base/hexadecimal.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

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
  return fmt::format("SELECT {} FROM {} WHERE {} ORDER BY {} LIMIT {}",
                     join(table.columns, name_in), table.name, where, key, copy_page_rows);
}

std::string next_page_of(const copied_table& table, const std::string& key) {
  int number = 0;
  const auto parameters = join(std::span{table.columns}.first(table.key_size),
                               [&](const copied_column&) { return fmt::format("${}", ++number); });
  return page_of(table, key, fmt::format("{} AND ({}) > ({})", table.condition, key, parameters));
}

std::string insert_of(const copied_table& table, sql_dialect dialect) {
  std::string names;
  std::string parameters;
  int number = 0;
  for (const auto& each : table.columns) {
    if (each.is_generated && dialect == sql_dialect::postgres) continue;
    names.append(names.empty() ? "" : ", ").append(each.name);
    parameters += fmt::format("{}${}", parameters.empty() ? "" : ", ", ++number);
    if (dialect == sql_dialect::postgres)
      parameters += fmt::format("::{}[]", type_names.at(static_cast<std::size_t>(each.type)));
  }
  const auto* const values = dialect == sql_dialect::postgres ? "SELECT * FROM unnest" : "VALUES ";
  return fmt::format("INSERT INTO {} ({}) {}({})", table.name, names, values, parameters);
}

std::string renumber_of(const copied_table& table) {
  return fmt::format("SELECT setval(pg_get_serial_sequence('{0}', '{1}'), coalesce(max({1}), 1), "
                     "max({1}) IS NOT NULL) FROM {0}",
                     table.name, table.columns.front().name);
}

table_statements make(const copied_table& table, sql_dialect dialect) {
  const auto key = key_of(table, dialect);
  const auto name = table.name;
  table_statements made;
  made.first_page = page_of(table, key, std::string{table.condition});
  made.next_page = next_page_of(table, key);
  made.insert = insert_of(table, dialect);
  made.clear = fmt::format("DELETE FROM {}", name);
  // Without a condition, SQLite drops all pages at once.
  if (table.condition != copied_table{}.condition)
    made.clear += fmt::format(" WHERE {}", table.condition);
  made.is_used =
      fmt::format("SELECT 1 FROM {} WHERE {} AND {} LIMIT 1", name, table.condition, table.is_used);
  if (dialect == sql_dialect::postgres) {
    made.analyze = fmt::format("ANALYZE {}", name);
    // SQLite continues after the highest number by itself.
    if (table.is_numbered) made.renumber = renumber_of(table);
  }
  made.reading = fmt::format("read the table {}", name);
  made.writing = fmt::format("write the table {}", name);
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

namespace {

/// A part of a row's key that outlives the row.
using key_part = std::variant<std::int64_t, std::string, model::uuid>;

sql_value column_value(sql_row& row, int column, sql_type type) {
  if (row.is_null(column)) return std::nullopt;
  switch (type) {
  case sql_type::integer: return row.integer(column);
  case sql_type::real: return row.real(column);
  case sql_type::text: return row.text(column);
  case sql_type::blob: return row.blob(column);
  case sql_type::uuid: return row.uuid(column);
  }
  return std::nullopt;
}

key_part key_part_of(sql_row& row, int column, sql_type type) {
  if (type == sql_type::integer) return row.integer(column);
  if (type == sql_type::uuid) return row.uuid(column);
  return row.string(column);
}

void append_number(std::string& to, char type, std::uint64_t number) {
  to.push_back(type);
  store::append_number(to, number);
}

/// A letter for the type, the length if it is not fixed, then the value.
void append_value(std::string& to, const sql_value& value) {
  std::visit(
      [&](const auto& is) {
        using type = std::decay_t<decltype(is)>;
        if constexpr (std::is_same_v<type, std::int64_t>) {
          append_number(to, 'i', static_cast<std::uint64_t>(is));
        } else if constexpr (std::is_same_v<type, double>) {
          // Removes the sign of zero: SQLite stores a real that is a whole number as an integer.
          append_number(to, 'r', std::bit_cast<std::uint64_t>(is + 0.0));
        } else if constexpr (std::is_same_v<type, std::string_view>) {
          append_number(to, 't', is.size());
          to.append(is);
        } else if constexpr (std::is_same_v<type, sql_value::blob>) {
          append_number(to, 'b', is.size());
          append_bytes(to, is);
        } else if constexpr (std::is_same_v<type, model::uuid>) {
          to.push_back('u');
          append_bytes(to, is.bytes);
        } else {
          to.push_back('n');
        }
      },
      value.get());
}

} // namespace

void read_along_keys(sql_connection& on) {
  static constexpr sql_command query{
      "SELECT set_config('enable_seqscan', 'off', false), set_config('enable_sort', 'off', false), "
      "set_config('enable_bitmapscan', 'off', false), "
      "set_config('idle_in_transaction_session_timeout', '0', false)",
      "configure the connection"};
  if (on.dialect() == sql_dialect::postgres) on.has(query, {});
}

table_facts read_table(sql_connection& on, const copied_table& table, const copy_watch& watch,
                       std::string_view doing, const std::function<void(sql_row&)>& take) {
  const auto& statements = statements_of(table, on.dialect());
  const auto step = fmt::format("{} {}", table.name, doing);
  table_facts facts{std::string{table.name}, 0, {}};
  base::sha256_stream hash;
  std::string bytes;
  std::vector<key_part> last; // the key of the last row
  bool has_more = true;
  while (has_more) {
    watch.go_on();
    const auto before = facts.rows;
    const auto key = last; // the parameters are views of it
    std::vector<sql_value> after;
    for (const auto& part : key)
      std::visit([&](const auto& value) { after.emplace_back(value); }, part);
    const sql_command page{key.empty() ? statements.first_page : statements.next_page,
                           statements.reading};
    on.each(page, sql_values{after}, [&](sql_row& row) {
      bytes.clear();
      last.clear();
      int column = 0;
      for (const auto& each : table.columns) {
        append_value(bytes, column_value(row, column, each.type));
        if (last.size() < table.key_size) last.push_back(key_part_of(row, column, each.type));
        ++column;
      }
      hash.add(bytes);
      ++facts.rows;
      if (take) take(row);
    });
    has_more = facts.rows - before == copy_page_rows;
    watch.tell(step, facts.rows);
  }
  facts.sha256 = base::hexadecimal(hash.digest());
  return facts;
}

row_writer::row_writer(sql_connection& into, const copied_table& table)
    : into_{&into}, table_{&table} {
  begin_arrays();
}

void row_writer::begin_arrays() {
  bytes_ = 0;
  arrays_.clear();
  if (into_->dialect() != sql_dialect::postgres) return;
  for (const auto& each : table_->columns)
    if (!each.is_generated) arrays_.emplace_back(each.type);
}

void row_writer::put(sql_row& row) {
  values_.clear();
  bytes_ = 0;
  int column = 0;
  auto array = arrays_.begin();
  for (const auto& each : table_->columns) {
    const auto value = column_value(row, column++, each.type);
    if (arrays_.empty()) {
      values_.push_back(value);
    } else if (!each.is_generated) {
      array->add(value);
      bytes_ += array++->size_bytes();
    }
  }
  if (arrays_.empty()) {
    const auto& statements = statements_of(*table_, into_->dialect());
    into_->run({statements.insert, statements.writing}, sql_values{values_});
  } else if (bytes_ >= collected_rows_limit_bytes) {
    flush();
  }
}

void row_writer::flush() {
  if (bytes_ == 0) return;
  const auto& statements = statements_of(*table_, into_->dialect());
  values_.clear();
  for (const auto& each : arrays_)
    values_.emplace_back(each);
  into_->run({statements.insert, statements.writing}, sql_values{values_});
  begin_arrays();
}

} // namespace matchcloud::store
