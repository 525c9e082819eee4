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

base::expected<void> sql_connection::select_each(const sql_command& query,
                                                 std::span<const sql_value> keys,
                                                 const std::function<void(sql_row&)>& take) {
  for (const auto& key : keys)
    if (auto done = for_each_row(*this, query, {key}, take); !done) return done;
  return {};
}

base::expected<sql_transaction> sql_transaction::begin(sql_connection& on, sql_access access,
                                                       std::optional<sql_subject> subject,
                                                       std::string operation) {
  if (auto begun = on.begin(access, subject, operation); !begun)
    return tl::unexpected(begun.error());
  return sql_transaction{on, std::move(operation)};
}

sql_transaction::~sql_transaction() {
  if (on_) on_->roll_back(operation_);
}

base::expected<void> sql_transaction::commit() {
  auto committed = on_->commit(operation_);
  if (committed) on_ = nullptr;
  return committed;
}

base::expected<std::int64_t> select_integer(sql_connection& on, const sql_command& query,
                                            sql_values with) {
  std::optional<std::int64_t> found;
  auto read = on.select(query, with, [&](sql_row& row) {
    found = row.integer(0);
    return false;
  });
  if (!read) return tl::unexpected(read.error());
  if (!found) return on.failure(query.operation, "a row is missing");
  return *found;
}

base::expected<std::int64_t> select_store_time(sql_connection& on) {
  static constexpr sql_command of_sqlite{
      "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)", "read the store's time"};
  static constexpr sql_command of_postgres{
      "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)",
      "read the store's time"};
  return select_integer(on, on.dialect() == sql_dialect::sqlite ? of_sqlite : of_postgres);
}

} // namespace matchcloud::store
