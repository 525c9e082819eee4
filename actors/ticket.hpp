#pragma once

#include "base/fault_point.hpp"
#include "base/permit.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace matchcloud::actors {

/// Whoever has a request in hand.
enum class handler : std::uint8_t {
  nobody,
  front,
  owner,
  /// An owner had it, and what it began may go on elsewhere.
  past_owner,
};

/// What goes with a request through every message about it: the transport that has the request and
/// the actors that work on it share one. Any thread.
struct ticket {
  /// Nobody waits for an answer any more: an actor may skip the work.
  mutable std::atomic<bool> over{false};
  /// Who works on the request at this moment. Whoever dies of it leaves its mark, and so a request
  /// that kills is told from those that waited behind it.
  mutable std::atomic<handler> in_hand{handler::nobody};
  /// A place among the requests that wait for the owner. Taken by the transport; whoever lets go of
  /// the ticket last gives it back, so that there are never more messages than places.
  mutable base::permit at_owner;
  /// Points that the request's `X-Fault` names.
  mutable std::atomic<base::fault_point_set> named_faults{0};
  /// Points whose fault this attempt had already.
  mutable std::atomic<base::fault_point_set> passed_faults{0};
  /// Attempts before this one are superseded: nobody waits for their answers.
  mutable std::atomic<std::uint32_t> attempt{0};

  /// As new. Nobody else may share it.
  void renew() noexcept {
    over.store(false, std::memory_order_relaxed);
    in_hand.store(handler::nobody, std::memory_order_relaxed);
    at_owner.reset();
    named_faults.store(0, std::memory_order_relaxed);
    passed_faults.store(0, std::memory_order_relaxed);
    attempt.store(0, std::memory_order_relaxed);
  }
};

/// Null in tests: nobody asks.
using ticket_ptr = std::shared_ptr<const ticket>;

/// Whether nobody waits for the answer to a request any more.
inline bool is_over(const ticket_ptr& of) noexcept {
  return of && of->over.load(std::memory_order_relaxed);
}

/// Likewise, or a later attempt at the request is on its way.
inline bool is_superseded(const ticket_ptr& of, std::uint32_t attempt) noexcept {
  return is_over(of) || (of && attempt < of->attempt.load(std::memory_order_relaxed));
}

/// Marks requests as being worked on by `who`. Not taken back where an exception comes by: whoever
/// dispatches them again has to know.
inline void claim(const ticket_ptr& of, handler who) noexcept {
  if (of) of->in_hand.store(who, std::memory_order_relaxed);
}

/// Done, for now; unless somebody else has taken it in hand meanwhile. `left_as`: what is to be
/// known of it from now on.
inline void release(const ticket_ptr& of, handler who, handler left_as) noexcept {
  if (!of) return;
  auto still = who;
  of->in_hand.compare_exchange_strong(still, left_as, std::memory_order_relaxed);
}

} // namespace matchcloud::actors
