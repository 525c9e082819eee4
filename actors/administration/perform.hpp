#pragma once

#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/access/new_token.hpp"
#include "model/audit/audit.hpp"
#include "store/database.hpp"
#include "store/housekeeping/retention.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace matchcloud::actors {

struct administration_settings {
  std::shared_ptr<store::database> database;
  base::blocking_pool* pool = nullptr;
  /// The clock for the creation and expiry of tokens.
  const base::clock* clock = &base::machine_clock();
  /// The store of images; null if none are removed.
  std::shared_ptr<store::object_store> images = {};
  /// Makes this process's caches of avatars and images check again; may be empty.
  std::function<void()> forget_avatars = {};
  /// How long lobbies are kept, unless their game sets another time; 0: for ever.
  std::chrono::days history_kept{0};
};

/// What an administrative operation needs, besides its request. The service performs it for its
/// clients, a command on a store that it opened.
struct administration_call {
  const administration_settings& with;
  const model::audit_author& by;
  std::int64_t now_ms = 0;
};

// What operations and their commands do besides a call of the store. All wait for the store and
// throw `base::failure`. Pool, or the main thread of a command.

/// `wanted` passed `model::check_new_token`.
model::issued_token create_token(const administration_call& in, const model::new_token& wanted);
/// The former text keeps working for `grace_ms`.
model::issued_token rotate_token(const administration_call& in, const model::uuid& token_id,
                                 std::int64_t grace_ms);
/// How long each game's lobbies are kept, and how many are due for removal.
std::vector<store::game_retention> retentions(const administration_call& in);
/// Removes an avatar from its game and then its image. Returns why the image is left: housekeeping
/// repeats that.
base::expected<void> remove_avatar(const administration_call& in, const model::uuid& game_id,
                                   const model::uuid& upload_id);

} // namespace matchcloud::actors
