#pragma once

#include "actors/administration/requests.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "store/database.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

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

/// Waits for the store and throws `base::failure`. Pool, or the main thread of a command.
administration_outcome perform(const administration_call& in,
                               const administrative_request& request);

} // namespace matchcloud::actors
