#pragma once

#include "base/expected.hpp"
#include "model/audit/audit.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_merge.hpp"

#include <span>
#include <vector>

namespace matchcloud::store {

/// One of several batches that are merged together.
struct merge_part {
  std::span<const model::lobby_record> records;
  const model::lobby_attributes_table* attributes = nullptr;
  /// The run that its changes belong to, see `session::attribute`.
  model::audit_run_ptr run;
  /// The outcome.
  base::expected<lobby_merge> merged;
};

/// The role of storing reports of lobbies. See `session` for what the calls of all roles have in
/// common.
class lobby_sink {
public:
  virtual ~lobby_sink() = default;

  /// Merges lobbies from the front of `records` (see `model::merge`) in one transaction of at most
  /// about 200 ms; call it again with the rest. A lobby that is already known with other attributes
  /// is rejected. Each `record.attributes` is an index into `attributes`.
  virtual base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                            const model::lobby_attributes_table& attributes) = 0;
  /// Merges each of `parts` as `merge` does, and sets its outcome. Parts can fail independently.
  /// An engine that waits for a disk or a server at each commit merges several in one
  /// transaction.
  virtual void merge_together(std::span<merge_part> parts) = 0;
  /// Returns what merging each of `records` on its own would do now. Writes nothing.
  virtual base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                            const model::lobby_attributes_table& attributes) = 0;
  /// Checks all `attributes` and returns the results in the same order.
  virtual base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) = 0;
  /// Whether the store has any lobby; without one, `check` has nothing to compare with.
  virtual base::expected<bool> has_any() = 0;
};

} // namespace matchcloud::store
