#pragma once

#include "actors/protocol.hpp"
#include "actors/vitals.hpp"
#include "base/faults.hpp"

#include <caf/actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

namespace matchcloud::actors {

/// What a client is told where a fault `error` was injected on the way of its request.
base::error injected_failure();

/// An actor of one of the supervisor's places: counts what it handles, tells what it died of, knows
/// the requests it has in hand, and passes the fault points of its kind. Handlers of requests are
/// made with `serving`, and answers go through `reply`.
class supervised_actor : public caf::event_based_actor {
public:
  /// Where an actor of this kind can be made to fail.
  struct fault_places {
    base::fault_point receive;
    base::fault_point reply;
  };

  supervised_actor(caf::actor_config& cfg, fault_places at)
      : caf::event_based_actor{cfg}, places_{at} {}

  /// Any thread, as long as the actor lives; what it points at, for good.
  std::shared_ptr<const vitals> read_vitals() const noexcept { return vitals_; }

protected:
  /// How a message fares at a fault point.
  enum class fate : std::uint8_t {
    arrives,
    /// To be answered as a failure.
    fails,
    /// Lost, or comes later by itself.
    is_gone,
  };

  /// Replaces CAF's defaults, which print or die: an unexpected message is dropped, a stray error
  /// or down message is ignored, an exception in a handler is logged and ends the actor (the
  /// supervisor restarts it). Call first in `make_behavior`.
  void be_strict();

  /// A handler of messages with an `exchange` and a `ticket`: `handle(message)`, with the request
  /// in hand. Faults of the point `receive` come before.
  template <class Message, class Handle>
  auto serving(Handle handle) {
    return [this, handle](const Message& message) {
      take_in_hand(message.ticket, handler::owner);
      if (!base::faults::armed(places_.receive) || receives(message)) handle(message);
      put_down(message.ticket, handler::owner);
      vitals_->count_handled();
    };
  }

  /// Works on requests that came before: `work()`, with them in hand. `waiters` are elements with a
  /// `ticket`.
  template <class Waiters, class Work>
  void with_in_hand(const Waiters& waiters, Work work) {
    for (const auto& each : waiters)
      take_in_hand(each.ticket, handler::owner);
    work();
    for (const auto& each : waiters)
      put_down(each.ticket, handler::owner);
  }

  /// A message that is no request woke this actor. Crashes of the point `receive` come before. The
  /// first is not counted: it is the answer to what an actor asks as soon as it begins, and who
  /// dies of that again and again must not look as if it had been of use.
  void wake() {
    crash_if(base::faults::strike(places_.receive), places_.receive);
    if (std::exchange(woken_, true)) vitals_->count_handled();
  }

  /// Answers a request, past the point `reply` and with the request in hand.
  template <class Message>
  void reply(const caf::actor& front, Message&& answer, const ticket_ptr& of) {
    if (base::faults::armed(places_.reply)) [[unlikely]]
      return reply_with_faults(front, std::forward<Message>(answer), of);
    send(front, std::forward<Message>(answer));
  }

  /// Sends news, past the point `reply`. Never overtaken by later news: the last must count. Nor
  /// later than each is for itself: the delays of many do not add up.
  template <class Message>
  void tell(const caf::actor& to, Message&& news) {
    const auto hit = base::faults::strike(places_.reply);
    crash_if(hit, places_.reply);
    if (hit.kind == base::fault_kind::delay || !late_news_.empty())
      return tell_late(to, caf::make_message(std::forward<Message>(news)), hit.delay);
    send(to, std::forward<Message>(news));
  }

  /// Passes a fault point with a message that this actor got from `from`. The attempt passes it
  /// once, also where the message comes again later.
  fate fate_at(base::fault_point at, const caf::strong_actor_ptr& from, const caf::message& what,
               const ticket_ptr& of);

  vitals& own_vitals() noexcept { return *vitals_; }

private:
  template <class Message>
  bool receives(const Message& message) {
    switch (
        fate_at(places_.receive, current_sender(), caf::make_message(message), message.ticket)) {
    case fate::arrives: return true;
    case fate::is_gone: return false;
    case fate::fails: break;
    }
    send(caf::actor_cast<caf::actor>(current_sender()),
         operation_failed{message.exchange, injected_failure()});
    return false;
  }

  template <class Message>
  void reply_with_faults(const caf::actor& front, Message&& answer, const ticket_ptr& of) {
    const auto hit = base::faults::strike(
        places_.reply, of ? of->named_faults.load(std::memory_order_relaxed) : 0);
    take_in_hand(of, handler::owner);
    crash_if(hit, places_.reply);
    put_down(of, handler::owner);
    switch (hit.kind) {
    case base::fault_kind::drop: return;
    case base::fault_kind::error:
      return send(front, operation_failed{answer.exchange, injected_failure()});
    case base::fault_kind::delay:
    case base::fault_kind::stall:
      return hold(
          {front, nullptr, caf::make_message(std::forward<Message>(answer)), places_.reply, 0},
          hit);
    default: return send(front, std::forward<Message>(answer));
    }
  }

  /// Throws where the actor is to die.
  static void crash_if(const base::fault& hit, base::fault_point at);
  /// Sends a message after the fault's delay, or when it stalls no more.
  void hold(held_message what, const base::fault& hit);
  void look_after(const held_message& held);
  void pass_on(const held_message& held);
  void tell_late(const caf::actor& to, caf::message news, std::chrono::microseconds delay);
  void send_late_news();

  struct late_news {
    held_message what;
    caf::actor_clock::time_point due;
  };

  std::shared_ptr<vitals> vitals_ = std::make_shared<vitals>();
  fault_places places_;
  /// In order; the first is on its way.
  std::deque<late_news> late_news_;
  bool woken_ = false;
};

} // namespace matchcloud::actors
