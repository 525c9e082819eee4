#pragma once

#include "actors/request/actor_statistics.hpp"
#include "actors/request/fault_gate.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/ticket.hpp"

#include <caf/actor.hpp>
#include <caf/delegated.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace matchcloud::actors {

/// The result of handlers of frequent messages: for handlers without a result, CAF creates a
/// response that has no receiver.
using no_response = caf::delegated<void>;

/// An actor that the supervisor restarts. It counts what it handles, records why it died, claims
/// the requests that it works on, and has a gate for faults. Handlers of requests are made with
/// `serving`, and answers are sent with `reply`.
class supervised_actor : public caf::event_based_actor {
public:
  using gate_points = fault_gate::points;

  supervised_actor(caf::actor_config& cfg, gate_points at)
      : caf::event_based_actor{cfg}, gate_{*this, at} {}

  /// May be called from any thread as long as the actor lives; the returned statistics may be used
  /// longer.
  std::shared_ptr<const actor_statistics> statistics() const noexcept { return statistics_; }

protected:
  using fault_outcome = fault_gate::outcome;

  /// Replaces CAF's defaults, which print or terminate: unexpected messages are dropped, stray
  /// error and down messages are ignored, and an exception in a handler is logged and ends the
  /// actor (the supervisor restarts it). Call this first in `make_behavior`.
  void be_strict();

  /// Makes a handler of messages with an `exchange` and a `ticket`. It skips those whose answer
  /// nothing waits for any more, passes the fault point `receive`, and then calls `handle(message)`
  /// with the request claimed.
  template <class Message, class Handle>
  auto serving(Handle handle) {
    return [this, handle](const Message& message) -> no_response {
      serve(message, handle);
      return {};
    };
  }

  /// Does what a handler made by `serving` does.
  template <class Message, class Handle>
  void serve(const Message& message, const Handle& handle) {
    if (is_superseded(message.ticket, message.exchange.attempt)) return;
    claim(message.ticket, handler::owner);
    {
      const traced_step step{message.ticket.get(), name()};
      const base::about_request about{marks_of(message.ticket)};
      if (gate_.lets_in(message)) handle(message);
    }
    release(message.ticket, handler::owner, handler::past_owner);
    statistics_->count_handled();
  }

  /// Calls `work()` with earlier requests claimed. `waiters` are elements with a `ticket`,
  /// or point to such.
  template <class Waiters, class Work>
  void with_claimed(const Waiters& waiters, Work work) {
    for (const auto& each : waiters)
      claim(ticket_of(each), handler::owner);
    work();
    for (const auto& each : waiters)
      release(ticket_of(each), handler::owner, handler::past_owner);
  }

  /// Notes that a message other than a request woke this actor. A crash at the fault point
  /// `receive` comes first. The first wake is not counted as handled: it answers what the actor
  /// sends as soon as it starts, and an actor that dies of that every time must not seem fruitful.
  void wake() {
    gate_.pass_news();
    if (std::exchange(woken_, true)) statistics_->count_handled();
  }

  /// Answers a request through the fault point `reply`, with the request claimed.
  template <class Message>
  void reply(const caf::actor& front, Message&& answer, const ticket_ptr& of) {
    gate_.reply(front, std::forward<Message>(answer), of);
  }

  /// Sends news through the fault point `reply`, in order.
  template <class Message>
  void publish(const caf::actor& to, Message&& news) {
    gate_.publish(to, std::forward<Message>(news));
  }

  /// Passes another fault point; see `fault_gate::pass`.
  fault_outcome outcome_at(base::fault_point at, const caf::strong_actor_ptr& from,
                           const caf::message& what, const ticket_ptr& of) {
    return gate_.pass(at, from, what, of);
  }

  actor_statistics& own_statistics() noexcept { return *statistics_; }

  /// Drops news that the gate still delays. It refers to other actors, often this one, so dead
  /// actors would otherwise keep each other in memory for ever.
  bool cleanup(caf::error&& reason, caf::execution_unit* host) override;

private:
  template <class Waiter>
  static const ticket_ptr& ticket_of(const Waiter& waiter) {
    if constexpr (std::is_pointer_v<Waiter>)
      return waiter->ticket;
    else
      return waiter.ticket;
  }

  std::shared_ptr<actor_statistics> statistics_ = std::make_shared<actor_statistics>();
  fault_gate gate_;
  bool woken_ = false;
};

/// Replaces CAF's defaults, which print or terminate: unexpected messages are dropped, stray error
/// and down messages are ignored.
void set_strict_handlers(caf::scheduled_actor& self);

} // namespace matchcloud::actors
