#pragma once

#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "store/database.hpp"
#include "store/object_store.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace matchcloud::actors {

struct administration_settings {
  std::shared_ptr<store::database> database;
  base::blocking_pool* pool = nullptr;
  /// By which tokens are made and expire.
  const base::clock* clock = &base::machine_clock();
  /// Where images are; null where none is removed.
  std::shared_ptr<store::object_store> images = {};
  /// Has those who keep avatars and images of this process look again; may be empty.
  std::function<void()> forget_avatars = {};
  /// How long lobbies are kept, unless their game says otherwise; 0: for ever.
  std::chrono::days history_kept{0};
};

/// What a request of an administrator is answered with.
struct administration_outcome {
  int status = 200;
  std::string json;
};

} // namespace matchcloud::actors
