#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"

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
class replica_registry {
public:
  virtual ~replica_registry() = default;

  /// Records that a process serves, for `lease` from now by the store's clock. Returns how many
  /// processes serve, including this one.
  virtual base::expected<std::uint32_t> renew_replica(const model::uuid& replica_id,
                                                      std::chrono::milliseconds lease) = 0;
  /// Publishes the summary of a process that has a lease; at most `replica_summary_limit_bytes`.
  virtual base::expected<void> tell_replicas(const model::uuid& replica_id,
                                             const std::string& summary) = 0;
  /// The summaries of the serving processes, at most `replicas_heard_limit`.
  virtual base::expected<std::vector<replica_told>> hear_replicas() = 0;
  /// The store's time, in milliseconds since 1970.
  virtual base::expected<std::int64_t> store_time() = 0;
};

} // namespace matchcloud::store
