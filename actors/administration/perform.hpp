#pragma once

#include "actors/administration/requests.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "base/expected.hpp"
#include "store/database.hpp"
#include "store/housekeeping/retention.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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

/// The answer to an administrator's request.
struct administration_outcome {
  int status = 200;
  /// Empty: none.
  std::string json;
  /// Whether the store differs now; true if that is not known.
  bool changed = true;
};

// All wait for the store and throw `base::failure`. Pool, or the main thread of a command.

administration_outcome perform(const administration_call& in,
                               const administrative_request& request);

// What commands do without a request.

/// How long each game's lobbies are kept, and how many are due for removal.
std::vector<store::game_retention> retentions(const administration_call& in);
/// Removes an avatar from its game and then its image. Returns why the image is left: housekeeping
/// repeats that.
base::expected<void> remove_avatar(const administration_call& in, const model::uuid& game_id,
                                   const model::uuid& upload_id);

} // namespace matchcloud::actors
