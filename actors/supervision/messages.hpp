#pragma once

#include "actors/request/message.hpp"

#include <cstddef>

namespace matchcloud::actors {

/// supervisor -> supervisor: the backoff of the child with this index is over.
struct restart_child {
  std::size_t child = 0;
};

/// supervisor -> supervisor, during restart storms: checks whether they are over.
struct check_storms {};

/// app -> supervisor: ends all actors, then the supervisor itself.
struct stop_all {};

} // namespace matchcloud::actors
