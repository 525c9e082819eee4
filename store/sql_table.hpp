#pragma once

#include "base/expected.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::store {

class audit_table;
class sql_connection;
class sql_values;
struct sql_command;
enum class sql_subject : std::uint8_t;

/// What the tables of a store have in common: a session's connection and its part of the audit log.
/// Their functions are in `store/sql`; each is one transaction.
class sql_table {
public:
  sql_table(sql_connection& on, audit_table& audit) noexcept : on_{&on}, audit_{&audit} {}

protected:
  // These return what `work` returns, or the failure (store/sql/transactions.hpp).

  /// Runs `work`, which reads with a single statement.
  template <class Work>
  auto look(std::string_view operation, Work work);
  /// What `read` makes of each row of a query.
  template <class Read>
  auto all_of(const sql_command& query, sql_values with, Read read);
  /// Runs `work`, which reads one snapshot.
  template <class Work>
  auto read_at_once(std::string_view operation, Work work);
  /// Runs `work`, which changes a subject, or nothing that has a revision. Entries of the audit log
  /// are written by `work`.
  template <class Work>
  auto change(std::optional<sql_subject> subject, std::string_view operation, Work work);

  /// Runs a change that has neither a revision nor an entry.
  base::expected<void> run_alone(const sql_command& what, sql_values with);

  sql_connection* on_;
  audit_table* audit_;
};

} // namespace matchcloud::store
