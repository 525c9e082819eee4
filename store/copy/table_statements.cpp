#include "store/copy/table_statements.hpp"

#include <map>
#include <utility>

namespace matchcloud::store {

namespace {

std::string_view type_name(column_type type) noexcept {
  switch (type) {
  case column_type::integer: return "bigint";
  case column_type::real: return "double precision";
  case column_type::text: return "text";
  case column_type::blob: return "bytea";
  case column_type::uuid: return "uuid";
  }
  return {};
}

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
  return join(table.columns.first(table.key_size), [&](const copied_column& each) {
    const bool orders = dialect == sql_dialect::postgres && each.type == column_type::text;
    return name_in(each) + (orders ? " COLLATE \"C\"" : "");
  });
}

std::string page_of(const copied_table& table, const std::string& key, const std::string& where) {
  std::string sql = "SELECT " + join(table.columns, name_in) + " FROM ";
  sql.append(table.name).append(where.empty() ? "" : " WHERE ").append(where);
  return sql + " ORDER BY " + key + " LIMIT " + std::to_string(copy_page_rows);
}

std::string next_page_of(const copied_table& table, const std::string& key) {
  int number = 0;
  const auto parameters = join(table.columns.first(table.key_size), [&](const copied_column&) {
    return "$" + std::to_string(++number);
  });
  std::string where{table.condition};
  return page_of(table, key,
                 where + (where.empty() ? "(" : " AND (") + key + ") > (" + parameters + ")");
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
      parameters.append("::").append(type_name(each.type)).append("[]");
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
  if (dialect == sql_dialect::postgres) made.analyze = "ANALYZE " + name;
  // SQLite continues after the highest number by itself.
  if (dialect == sql_dialect::postgres && table.is_numbered) made.renumber = renumber_of(table);
  made.reading = "read the table " + name;
  made.writing = "write the table " + name;
  return made;
}

using all_statements = std::map<std::pair<std::string_view, sql_dialect>, table_statements>;

all_statements make_all() {
  all_statements made;
  for (const auto dialect : {sql_dialect::sqlite, sql_dialect::postgres}) {
    made[{revisions_table().name, dialect}] = make(revisions_table(), dialect);
    for (const auto& each : copied_tables())
      made[{each.name, dialect}] = make(each, dialect);
  }
  return made;
}

} // namespace

const table_statements& statements_of(const copied_table& table, sql_dialect dialect) {
  static const auto all = make_all();
  return all.at({table.name, dialect});
}

} // namespace matchcloud::store
