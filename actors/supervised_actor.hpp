#pragma once

#include "actors/actor_statistics.hpp"
#include "actors/fault_gate.hpp"
#include "actors/protocol.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/scheduled_actor.hpp>

#include <memory>
#include <utility>

namespace matchcloud::actors {

/// An actor of one of the supervisor's places: counts what it handles, tells what it died of, knows
/// the requests it has in hand, and has a gate for faults. Handlers of requests are
/// made with `serving`, and answers go through `reply`.
class supervised_actor : public caf::event_based_actor {
public:
  using gate_points = fault_gate::points;

  supervised_actor(caf::actor_config& cfg, gate_points at)
      : caf::event_based_actor{cfg}, gate_{*this, at} {}

  /// Any thread, as long as the actor lives; what it points at, for good.
  std::shared_ptr<const actor_statistics> statistics() const noexcept { return statistics_; }

protected:
  using fault_outcome = fault_gate::outcome;

  /// Replaces CAF's defaults, which print or die: an unexpected message is dropped, a stray error
  /// or down message is ignored, an exception in a handler is logged and ends the actor (the
  /// supervisor restarts it). Call first in `make_behavior`.
  void be_strict();

  /// A handler of messages with an `exchange` and a `ticket`: `handle(message)`, with the request
  /// in hand. Faults of the point `receive` come before.
  template <class Message, class Handle>
  auto serving(Handle handle) {
    return [this, handle](const Message& message) {
      claim(message.ticket, handler::owner);
      if (gate_.lets_in(message)) handle(message);
      release(message.ticket, handler::owner, handler::past_owner);
      statistics_->count_handled();
    };
  }

  /// Works on requests that came before: `work()`, with them in hand. `waiters` are elements with a
  /// `ticket`.
  template <class Waiters, class Work>
  void with_claimed(const Waiters& waiters, Work work) {
    for (const auto& each : waiters)
      claim(each.ticket, handler::owner);
    work();
    for (const auto& each : waiters)
      release(each.ticket, handler::owner, handler::past_owner);
  }

  /// A message that is no request woke this actor. Crashes of the point `receive` come before. The
  /// first is not counted: it is the answer to what an actor asks as soon as it begins, and who
  /// dies of that again and again must not look as if it had been of use.
  void wake() {
    gate_.let_in_news();
    if (std::exchange(woken_, true)) statistics_->count_handled();
  }

  /// Answers a request, past the point `reply` and with the request in hand.
  template <class Message>
  void reply(const caf::actor& front, Message&& answer, const ticket_ptr& of) {
    gate_.reply(front, std::forward<Message>(answer), of);
  }

  /// Sends news, past the point `reply`, in order.
  template <class Message>
  void tell(const caf::actor& to, Message&& news) {
    gate_.tell(to, std::forward<Message>(news));
  }

  /// Passes a fault point besides, as `fault_gate::pass`.
  fault_outcome outcome_at(base::fault_point at, const caf::strong_actor_ptr& from,
                           const caf::message& what, const ticket_ptr& of) {
    return gate_.pass(at, from, what, of);
  }

  actor_statistics& own_statistics() noexcept { return *statistics_; }

private:
  std::shared_ptr<actor_statistics> statistics_ = std::make_shared<actor_statistics>();
  fault_gate gate_;
  bool woken_ = false;
};

/// Replaces CAF's defaults, which print or die: an unexpected message is dropped, a stray error or
/// down message is ignored.
void set_strict_handlers(caf::scheduled_actor& self);

} // namespace matchcloud::actors
