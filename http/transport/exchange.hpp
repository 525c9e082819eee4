#pragma once

#include "actors/protocol.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/response.hpp"

#include <caf/actor.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

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
  operation operation_id = operation::unmatched;
  actors::owner waits_for = actors::owner::none;

  void routed(operation what, actors::owner who) noexcept {
    operation_id = what;
    waits_for = who;
  }

  /// Begins a further attempt at what `row` is about, because `dead` died: nothing; or what to
  /// answer instead, where too many died of it, or where it may have been done already and must not
  /// be done twice.
  std::optional<base::error> begin_retry(const operation_row& row, const actors::ticket& of,
                                         actors::handler dead);
};

/// Of `in_flight_limit`, the share (one of so many) that is kept for requests which cost more to
/// repeat than a listing, an image or a small payload.
inline constexpr std::size_t reserved_share = 8;

/// Has the request of an exchange, which is for `which`, wait for `who`: false where as many do as
/// may, or where it is cheap and the rest is reserved. Only a first attempt is refused: what waits
/// keeps its place.
bool enter_mailbox(const admitted_request& request, const exchange_state& of, operation which,
                   actors::owner who, const base::limits& limits,
                   transport_metrics& metrics) noexcept;

/// How long an exchange may take from its complete request to its answer; before it is routed, as
/// long as most.
inline std::chrono::milliseconds answer_timeout(const base::limits& limits,
                                                operation which) noexcept {
  return limits.*row_of(which).deadline;
}

/// transport -> front: a complete request that waits for its answer.
struct dispatch {
  actors::exchange_ref exchange;
  request_ptr request;
};
void may_be_sent(const dispatch&);

/// An exchange that waits for its answer.
struct open_exchange {
  /// Null: there is none such.
  request_ptr request;
  operation operation_id = operation::unmatched;

  explicit operator bool() const noexcept { return request != nullptr; }
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
  virtual bool routed(actors::exchange_ref exchange, operation which, actors::owner waits_for) = 0;

  /// A current exchange; none where it is answered or its client is gone.
  virtual open_exchange find(actors::exchange_ref exchange) const = 0;

  /// Answers an exchange. A second answer, or one to an older attempt, is dropped.
  virtual void answer(actors::exchange_ref exchange, response&& with) = 0;

  /// The owner was replaced: dispatches every exchange that waits for it again, as a further
  /// attempt.
  virtual void redispatch(actors::owner owner) = 0;
};

} // namespace matchcloud::http
