#pragma once

#include "base/expected.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_merge.hpp"

#include <span>
#include <vector>

namespace matchcloud::store {

/// The role of taking reports of lobbies. What any role's calls have in common stands at `session`.
class lobby_sink {
public:
  virtual ~lobby_sink() = default;

  /// Merges lobbies from the front of `records` (`model::merge`; a lobby that is known with another
  /// attributes is rejected) in one transaction of about 50 ms at most. Call it again with the
  /// rest. `record.attributes` are numbers of `attributes`.
  virtual base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                            const model::lobby_attributes_table& attributes) = 0;
  /// What merging each of all `records` by itself would do now. Writes nothing.
  virtual base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                            const model::lobby_attributes_table& attributes) = 0;
  /// What there is to know of all `attributes`, in their order.
  virtual base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) = 0;
  /// Whether there is any lobby: where there is none, `check` has nothing to compare with.
  virtual base::expected<bool> has_any() = 0;
};

} // namespace matchcloud::store
