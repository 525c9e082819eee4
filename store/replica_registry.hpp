#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/sql_table.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace matchcloud::store {

/// A serving process's summary of itself for the others.
struct replica_told {
  model::uuid replica_id;
  /// By the store's clock, in milliseconds since 1970.
  std::int64_t told_ts = 0;
  /// JSON; empty: nothing yet.
  std::string summary;
};

/// The size of a summary, and the number of summaries read.
inline constexpr std::size_t replica_summary_limit_bytes = 4'096;
inline constexpr std::size_t replicas_heard_limit = 100;

/// The role of tracking which processes currently serve from the store. It keeps no audit log. See
/// `session` for what the calls of all roles have in common.
class replica_registry : public sql_table {
public:
  using sql_table::sql_table;

  /// Records that a process serves, for `lease` from now by the store's clock. Returns how many
  /// processes serve, including this one.
  base::expected<std::uint32_t> renew_replica(const model::uuid& replica_id,
                                              std::chrono::milliseconds lease);
  /// Publishes the summary of a process that has a lease; at most `replica_summary_limit_bytes`.
  base::expected<void> tell_replicas(const model::uuid& replica_id, const std::string& summary);
  /// The summaries of the serving processes, at most `replicas_heard_limit`.
  base::expected<std::vector<replica_told>> hear_replicas();
  /// The store's time, in milliseconds since 1970.
  base::expected<std::int64_t> store_time();
};

} // namespace matchcloud::store
