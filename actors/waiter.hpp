#pragma once

#include "actors/protocol.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <memory>

namespace matchcloud::actors {

/// Whether nobody waits for the answer to a request any more. `over` may be null: somebody does.
inline bool is_over(const std::shared_ptr<const std::atomic<bool>>& over) noexcept {
  return over && over->load(std::memory_order_relaxed);
}

/// A request that an actor answers later.
struct waiter {
  caf::actor front;
  exchange_ref exchange;
  /// Holds the waiting request and its permit, so that there are no more waiters than permits.
  std::shared_ptr<const std::atomic<bool>> over;

  bool is_gone() const noexcept { return is_over(over); }
};

} // namespace matchcloud::actors
