#pragma once

#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "model/audit/audit.hpp"
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

/// What performing a request needs, besides the request.
struct administration_call {
  const administration_settings& with;
  const model::audit_author& by;
  std::int64_t now_ms = 0;
};

/// The response to an administrator's request.
struct administration_outcome {
  int status = 200;
  std::string json = {};
};

} // namespace matchcloud::actors
