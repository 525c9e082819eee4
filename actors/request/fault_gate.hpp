#pragma once

#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"
#include "base/faults.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <utility>

namespace matchcloud::actors {

/// The error that a client gets if the fault `error` was injected into its request.
base::error injected_failure();

/// The properties of a request that decide whether a fault hits it.
inline base::fault_subject subject_of(const ticket_ptr& of) noexcept {
  if (!of) return {};
  return {of->named_faults.load(std::memory_order_relaxed), of->game ? &of->game->bytes : nullptr};
}

/// Passes an actor's messages through the fault points of its kind. An injected fault there loses,
/// delays or refuses the message, or crashes the actor. A member of its actor, used on its thread.
class fault_gate {
public:
  /// The fault points of an actor's kind.
  struct points {
    base::fault_point receive;
    base::fault_point reply;
  };

  /// The outcome of a message at a fault point.
  enum class outcome : std::uint8_t {
    arrives,
    /// The message must be answered as a failure.
    fails,
    /// The message is lost, or is delivered later without the caller's help.
    is_gone,
  };

  fault_gate(caf::event_based_actor& self, points at) noexcept : self_{&self}, points_{at} {}

  /// Whether a request that the actor just received arrives. Answers the request if it fails.
  template <class Message>
  bool lets_in(const Message& message) {
    if (!base::faults::armed(points_.receive)) return true;
    const auto& from = self_->current_sender();
    switch (pass(points_.receive, from, caf::make_message(message), message.ticket)) {
    case outcome::arrives: return true;
    case outcome::is_gone: return false;
    case outcome::fails: break;
    }
    self_->send(caf::actor_cast<caf::actor>(from),
                operation_failed{message.exchange, injected_failure()});
    return false;
  }

  /// Passes a message that is not a request; a fault can only crash the actor.
  void pass_news() { crash_if(base::faults::strike(points_.receive), points_.receive); }

  /// Sends a request's answer to `front`, with the request claimed.
  template <class Message>
  void reply(const caf::actor& front, Message&& answer, const ticket_ptr& of) {
    if (base::faults::armed(points_.reply)) [[unlikely]]
      return reply_with_faults(front, std::forward<Message>(answer), of);
    self_->send(front, std::forward<Message>(answer));
  }

  /// Sends news. Later news never overtakes it, because the last must win. Delays do not add up:
  /// each message is sent as soon as its own due time and those of the messages before it have
  /// passed.
  template <class Message>
  void publish(const caf::actor& to, Message&& news) {
    const auto hit = base::faults::strike(points_.reply);
    crash_if(hit, points_.reply);
    if (hit.kind == base::fault_kind::delay || !late_news_.empty())
      return publish_late(to, caf::make_message(std::forward<Message>(news)), hit.delay);
    self_->send(to, std::forward<Message>(news));
  }

  /// Passes a message that the actor got from `from` through a fault point. After a hit, the same
  /// attempt passes that point unharmed, so that a held message arrives when it is delivered again.
  outcome pass(base::fault_point at, const caf::strong_actor_ptr& from, const caf::message& what,
               const ticket_ptr& of);

  /// Handles a message that `hold` had sent to the actor itself.
  void resume_held(const held_message& held);

  /// Drops news that is still delayed, because the actor ends.
  void drop_late_news() noexcept { late_news_.clear(); }

private:
  template <class Message>
  void reply_with_faults(const caf::actor& front, Message&& answer, const ticket_ptr& of) {
    const auto hit = base::faults::strike(points_.reply, subject_of(of));
    note_hit(of, points_.reply, hit);
    claim(of, handler::owner);
    crash_if(hit, points_.reply);
    release(of, handler::owner, handler::past_owner);
    switch (hit.kind) {
    case base::fault_kind::drop: return;
    case base::fault_kind::error:
      return self_->send(front, operation_failed{answer.exchange, injected_failure()});
    case base::fault_kind::delay:
    case base::fault_kind::stall:
      note_delay(of, points_.reply, hit);
      return hold({front, nullptr, caf::make_message(std::forward<Message>(answer)), points_.reply},
                  hit);
    default: return self_->send(front, std::forward<Message>(answer));
    }
  }

  /// Notes that a fault hit the request.
  static void note_hit(const ticket_ptr& of, base::fault_point at,
                       const base::fault& hit) noexcept {
    if (hit && of) of->met_faults.fetch_or(base::bit_of(at), std::memory_order_relaxed);
  }
  /// Notes a delay in the request's trace.
  static void note_delay(const ticket_ptr& of, base::fault_point at, const base::fault& hit);
  /// Throws if the fault is a crash.
  static void crash_if(const base::fault& hit, base::fault_point at);
  /// Sends a message after the fault's delay, or once it no longer stalls.
  void hold(held_message what, const base::fault& hit);
  void pass_on(const held_message& held);
  void publish_late(const caf::actor& to, caf::message news, std::chrono::microseconds delay);
  void send_late_news();

  struct late_news {
    held_message what;
    caf::actor_clock::time_point due;
  };

  caf::event_based_actor* self_;
  points points_;
  /// Delayed news, in order. A timer for the first is running.
  std::deque<late_news> late_news_;
};

} // namespace matchcloud::actors
