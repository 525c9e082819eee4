#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// The role of knowing how many processes serve from the store now. It keeps no audit log. See
/// `session` for what the calls of all roles have in common.
class replica_registry {
public:
  virtual ~replica_registry() = default;

  /// Says that a process serves, and will for `lease` more by the store's clock. Returns how many
  /// do, that one included.
  virtual base::expected<std::uint32_t> renew_replica(const model::uuid& replica_id,
                                                      std::chrono::milliseconds lease) = 0;
  /// The store's time, in milliseconds since 1970.
  virtual base::expected<std::int64_t> store_time() = 0;
};

} // namespace matchcloud::store
