#pragma once

#include "actors/protocol.hpp"
#include "base/limits.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/response.hpp"

#include <caf/actor.hpp>

#include <chrono>
#include <cstdint>

namespace matchcloud::http {

/// How often an exchange is sent again that an actor had in hand when it died: a request that kills
/// who handles it must not do so for ever. One that only waited behind it is sent again each time.
inline constexpr std::uint32_t resend_limit = 2;

/// Where one exchange stands with its front: the part that every transport keeps alike. One thread,
/// or guarded by the transport.
struct exchange_state {
  /// Names the current attempt in messages.
  std::uint32_t attempt = 1;
  /// Actors that died with it in hand.
  std::uint32_t deaths = 0;
  operation asked = operation::unmatched;
  actors::owner waits_for = actors::owner::none;

  void routed(operation what, actors::owner who) noexcept {
    asked = what;
    waits_for = who;
  }

  /// Begins a further attempt, because `dead` died. False where too many died of it.
  bool begin_retry(const actors::ticket& of, actors::handler dead) noexcept {
    const auto had = of.in_hand.exchange(actors::handler::nobody, std::memory_order_relaxed);
    if (had == dead && ++deaths > resend_limit) return false;
    of.passed_faults.store(0, std::memory_order_relaxed);
    of.attempt.store(++attempt, std::memory_order_relaxed);
    waits_for = actors::owner::none;
    return true;
  }
};

/// Of `in_flight_limit`, the share (one of so many) that is kept for requests which cost more to
/// repeat than a listing, an image or a small payload.
inline constexpr std::size_t reserved_share = 8;

/// Has the request of an exchange wait for `who`: false where as many do as may, or where it is
/// cheap and the rest is reserved. Only a first attempt is refused: what waits keeps its place.
bool enter_mailbox(const admitted_request& request, const exchange_state& of, actors::owner who,
                   const base::limits& limits, transport_metrics& metrics) noexcept;

/// How long an exchange may take from its complete request to its answer. Exports have their own
/// time; before an exchange is routed it has that of all others.
inline std::chrono::milliseconds answer_timeout(const base::limits& limits,
                                                operation asked) noexcept {
  return asked == operation::export_lobby_history ? limits.export_timeout : limits.request_timeout;
}

/// transport -> front: a complete request that waits for its answer.
struct dispatch {
  actors::exchange_ref exchange;
  request_ptr request;
};

/// What a front sees of its transport. The transport owns the exchanges and their deadlines; the
/// front keeps nothing about them, so that another can take its place. Called on the front's
/// thread.
class exchange_sink {
public:
  virtual ~exchange_sink() = default;

  /// The front knows the owners and is ready. Every unanswered exchange is dispatched to it.
  virtual void attach(caf::actor front) = 0;

  /// Notes what the exchange asks for and who is to answer it. `owner::none`: the front is. False
  /// where as many wait for that owner as may.
  virtual bool routed(actors::exchange_ref exchange, operation asked, actors::owner waits_for) = 0;

  /// The request of a current exchange; null where it is answered or its client is gone.
  virtual request_ptr find(actors::exchange_ref exchange) const = 0;

  /// Answers an exchange. A second answer, or one to an older attempt, is dropped.
  virtual void answer(actors::exchange_ref exchange, response&& with) = 0;

  /// The owner was replaced: dispatches every exchange that waits for it again, as a further
  /// attempt.
  virtual void redispatch(actors::owner owner) = 0;
};

} // namespace matchcloud::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(matchcloud::http::dispatch)
