#pragma once

#include "actors/request/messages.hpp"

#include <caf/actor.hpp>

namespace matchcloud::actors {

/// A request that an actor answers later.
struct waiter {
  caf::actor front;
  exchange_ref exchange;
  /// Keeps the request's ticket and so its permit, which bounds the number of waiters.
  ticket_ptr ticket;

  bool is_gone() const noexcept { return is_superseded(ticket, exchange.attempt); }
};

} // namespace matchcloud::actors
