#pragma once

#include "base/expected.hpp"
#include "model/avatars/avatar.hpp"
#include "store/avatar_store.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace matchcloud::store {

/// Implements `avatar_store::read`. Call this in a transaction, because it runs two queries.
base::expected<std::int64_t> select_avatars(sql_connection& on, const model::uuid& game_id,
                                            const std::function<bool(const model::avatar&)>& take);

/// Implements `avatar_store::put` and moves the revisions of the games that changed. Call this in a
/// write transaction.
base::expected<std::vector<put_outcome>> write_avatars(sql_connection& on,
                                                       std::span<const model::avatar> avatars);

/// Implements `avatar_store::read_images`.
base::expected<void> select_images(sql_connection& on,
                                   const std::function<bool(const image_key&)>& take);

} // namespace matchcloud::store
