#include "store/sql/sql.hpp"

namespace matchcloud::store {

std::string_view name_of(sql_subject subject) noexcept {
  switch (subject) {
  case sql_subject::catalog: return "catalog";
  case sql_subject::tokens: return "tokens";
  case sql_subject::avatars: return "avatars";
  case sql_subject::lobbies: return "lobbies";
  case sql_subject::latencies: return "latencies";
  }
  return {};
}

void sql_connection::select_each(const sql_command& query, std::span<const sql_value> keys,
                                 const std::function<void(sql_row&)>& take) {
  for (const auto& key : keys)
    each(query, {key}, take);
}

std::int64_t sql_connection::number(const sql_command& query, sql_values with,
                                    std::int64_t otherwise) {
  select(query, with, [&](sql_row& row) {
    if (!row.is_null(0)) otherwise = row.integer(0);
    return false;
  });
  return otherwise;
}

std::int64_t sql_connection::number(const sql_command& query, sql_values with) {
  const auto found = first(query, with, [](sql_row& row) { return row.integer(0); });
  if (!found) throw failure(query.operation, "a row is missing");
  return *found;
}

bool sql_connection::has(const sql_command& query, sql_values with) {
  return first(query, with, [](sql_row&) { return true; }).has_value();
}

sql_transaction::sql_transaction(sql_connection& on, sql_access access,
                                 std::optional<sql_subject> subject, std::string operation)
    : on_{&on}, operation_{std::move(operation)} {
  try {
    on.begin(access, subject, operation_);
  } catch (...) {
    on.roll_back(operation_);
    throw;
  }
}

sql_transaction::~sql_transaction() {
  if (on_) on_->roll_back(operation_);
}

void sql_transaction::commit() {
  on_->commit(operation_);
  on_ = nullptr;
}

std::int64_t select_store_time(sql_connection& on) {
  static constexpr sql_command of_sqlite{
      "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)", "read the store's time"};
  static constexpr sql_command of_postgres{
      "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
      "read the store's time"};
  return on.number(on.dialect() == sql_dialect::sqlite ? of_sqlite : of_postgres);
}

} // namespace matchcloud::store
