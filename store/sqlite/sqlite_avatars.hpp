#pragma once

#include "base/expected.hpp"
#include "model/avatars/avatar.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace matchcloud::store {

/// As `store::read_avatars`. Belongs in a transaction: it is two queries.
base::expected<std::int64_t> select_avatars(connection& on, const model::uuid& game_id,
                                            const std::function<bool(const model::avatar&)>& take);

/// As `store::put_avatars`, and moves the revisions of the games that changed. Belongs in a write
/// transaction.
base::expected<std::vector<put_outcome>> write_avatars(connection& on,
                                                       std::span<const model::avatar> avatars);

} // namespace matchcloud::store
