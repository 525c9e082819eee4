#pragma once

#include "model/audit/audit.hpp"
#include "store/retention_store.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::store {

// All throws like the connection.

/// Writes the entries of a session's changes, each in the transaction of its change.
class audit_table {
public:
  /// From now on changes belong to `run`; null: each has its own run, by this process's user.
  void attribute(model::audit_run_ptr run) noexcept { run_ = std::move(run); }
  /// Call this at the beginning of a transaction.
  void begin() noexcept { is_written_ = false; }
  /// Writes the entry of a change, unless its run already has one. Call this in the change's
  /// transaction.
  void write(sql_connection& on, const model::audit_change& what);
  /// Call this after the commit: if it had an entry, its run has one now.
  void note_committed() const;
  /// Commits, and notes that.
  void commit(sql_transaction& changes) const;

private:
  model::audit_run_ptr run_;
  bool is_written_ = false;
};

/// Implements `access_store::read_audit`.
model::audit_page select_audit(sql_connection& on, const model::audit_query& query);

/// Removes entries older than `before_ms`, at most `audit_expiry_limit`; returns how many. Call
/// this in a write transaction.
std::size_t delete_audit(sql_connection& on, std::int64_t before_ms);
inline constexpr std::int64_t audit_expiry_limit = 5'000;

/// Implements `erasure_store::erase_audit_names`. Call this in a write transaction.
void erase_names(sql_connection& on, audit_names& names, std::size_t limit);

} // namespace matchcloud::store
