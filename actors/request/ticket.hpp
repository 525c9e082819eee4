#pragma once

#include "actors/request/request_trace.hpp"
#include "base/events/about_request.hpp"
#include "base/fault_point.hpp"
#include "base/permit.hpp"
#include "model/text/uuid.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace matchcloud::actors {

/// Who has claimed a request.
enum class handler : std::uint8_t {
  nobody,
  front,
  owner,
  /// An owner released the request, but work that it began may continue elsewhere.
  past_owner,
};

/// What a transport, its front and the owners share about a request; all of its messages carry it.
/// Any thread may read it; each member says which part writes it.
struct ticket {
  /// Whether nothing waits for the answer any more, so that an actor may skip the work. Written by
  /// the transport, once it has answered or the client is gone.
  std::atomic<bool> over{false};
  /// The handler now working on the request. Written by the front and the owner (`claim`,
  /// `release`), and cleared by the transport for a further attempt. An actor that dies leaves its
  /// mark, which distinguishes the request that killed it from those that waited behind it.
  std::atomic<handler> claimed_by{handler::nobody};
  /// The request's slot in the owner's mailbox. Read and written on the front's thread only: the
  /// transport acquires it when the front forwards the request. It is returned when the last
  /// reference to the ticket is gone, so that there are never more messages than slots.
  base::permit at_owner;
  /// Fault points whose rules may hit the request: those that its `X-Fault` header names, or whose
  /// rules select its sender. Written by the front.
  std::atomic<base::fault_point_set> named_faults{0};
  /// Fault points that have already hit this attempt. Added to by the actor that passes one, and
  /// cleared by the transport for a further attempt.
  std::atomic<base::fault_point_set> passed_faults{0};
  /// Fault points that have hit any attempt, for the access log.
  std::atomic<base::fault_point_set> met_faults{0};
  /// The current attempt. Earlier attempts are superseded: nothing waits for their answers. Written
  /// by the transport.
  std::atomic<std::uint32_t> attempt{0};

  /// The game that the request names. Written by the front before it sends the first message.
  std::optional<model::uuid> game;
  /// Marks of the request; empty if it never leaves its event loop. Written like `game`.
  base::request_marks marks;
  request_trace trace;

  /// Resets the ticket for reuse. Nobody else may share it.
  void renew() noexcept {
    over.store(false, std::memory_order_relaxed);
    claimed_by.store(handler::nobody, std::memory_order_relaxed);
    at_owner.reset();
    named_faults.store(0, std::memory_order_relaxed);
    passed_faults.store(0, std::memory_order_relaxed);
    met_faults.store(0, std::memory_order_relaxed);
    attempt.store(0, std::memory_order_relaxed);
    game.reset();
    marks = {};
    trace.renew();
  }
};

/// Null in tests that need no ticket.
using ticket_ptr = std::shared_ptr<ticket>;

/// Whether nothing waits for the answer to a request any more.
inline bool is_over(const ticket_ptr& of) noexcept {
  return of && of->over.load(std::memory_order_relaxed);
}

/// Whether nothing waits for the answer of `attempt` any more: the request is over, or a later
/// attempt has replaced this one.
inline bool is_superseded(const ticket_ptr& of, std::uint32_t attempt) noexcept {
  return is_over(of) || (of && attempt < of->attempt.load(std::memory_order_relaxed));
}

/// The marks that identify the request of a ticket.
inline base::request_marks marks_of(const ticket_ptr& of) noexcept {
  return of ? of->marks : base::request_marks{};
}

/// Marks a request as being worked on by `who`. An exception deliberately leaves the mark, because
/// the code that dispatches the request again needs it.
inline void claim(const ticket_ptr& of, handler who) noexcept {
  if (of) of->claimed_by.store(who, std::memory_order_relaxed);
}

/// Removes the claim of `who`, unless another handler has claimed the request since. `left_as`: the
/// mark to leave instead.
inline void release(const ticket_ptr& of, handler who, handler left_as) noexcept {
  if (!of) return;
  auto still = who;
  of->claimed_by.compare_exchange_strong(still, left_as, std::memory_order_relaxed);
}

/// Set on the threads of event loops, where requests are so short that only sampled ones note their
/// steps.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline thread_local bool notes_only_sampled = false;

/// Notes a step of work in the trace of a request, for as long as this object lives.
class traced_step {
public:
  /// `of` may be null and outlives this. `place` has static storage duration.
  traced_step(ticket* of, const char* place) {
    if (of == nullptr || (notes_only_sampled && !of->trace.is_sampled())) [[likely]]
      return;
    of_ = of;
    place_ = place;
    base::faults::take_holds();
    step_ = of_->trace.begin(place, base::machine_clock().now());
  }
  ~traced_step() {
    if (of_ != nullptr) [[unlikely]]
      end();
  }
  traced_step(const traced_step&) = delete;
  traced_step& operator=(const traced_step&) = delete;

private:
  // Not inlined, so that a step without a trace costs one comparison.
  [[gnu::noinline]] void end() {
    of_->trace.end(step_, place_, base::faults::take_holds(), base::machine_clock().now());
  }

  ticket* of_ = nullptr;
  const char* place_ = nullptr;
  std::size_t step_ = 0;
};

/// Notes in the trace of a request when it was worked on. `of` may be null; work that did not end
/// is not noted. `place` has static storage duration.
inline void note_work(const ticket_ptr& of, const char* place, const work_time& when) {
  if (of && when.ended >= when.began)
    of->trace.end(of->trace.begin(place, when.began), place, when.holds, when.ended);
}

} // namespace matchcloud::actors
