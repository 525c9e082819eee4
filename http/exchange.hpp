#pragma once

#include "actors/protocol.hpp"
#include "base/limits.hpp"
#include "http/admitted_request.hpp"
#include "http/operation.hpp"
#include "http/response.hpp"

#include <caf/actor.hpp>

#include <chrono>
#include <cstdint>

namespace matchcloud::http {

/// Times that an exchange is handed to actors which die before it is answered `unavailable`: a
/// request that kills who handles it must not do so for ever.
inline constexpr std::uint32_t attempt_limit = 3;

/// Where an exchange is, after its front has routed it.
enum class progress : std::uint8_t {
  /// With the actor that it waits for.
  forwarded,
  /// Held back until that actor is there again; this attempt does not count.
  parked,
};

/// Where one exchange stands with its front: the part that every transport keeps alike. One thread,
/// or guarded by the transport.
struct exchange_state {
  /// Names the current attempt in messages.
  std::uint32_t attempt = 1;
  /// Attempts that reached an actor.
  std::uint32_t tries = 0;
  operation asked = operation::unmatched;
  actors::owner waits_for = actors::owner::none;

  void routed(operation what, actors::owner who, progress now) noexcept {
    asked = what;
    waits_for = who;
    if (now == progress::parked) --tries;
  }

  /// Begins a further attempt. False where too many reached an actor.
  bool begin_retry() noexcept {
    if (tries >= attempt_limit) return false;
    ++attempt;
    waits_for = actors::owner::none;
    return true;
  }
};

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

  /// Notes what the exchange asks for and who is to answer it. `owner::none`: the front is.
  virtual void routed(actors::exchange_ref exchange, operation asked, actors::owner waits_for,
                      progress now) = 0;

  /// The request of a current exchange; null where it is answered or its client is gone.
  virtual request_ptr find(actors::exchange_ref exchange) const = 0;

  /// Answers an exchange. A second answer, or one to an older attempt, is dropped.
  virtual void answer(actors::exchange_ref exchange, response&& with) = 0;

  /// Dispatches every exchange that waits for `owner` again, as a further attempt.
  virtual void redispatch(actors::owner owner) = 0;
};

} // namespace matchcloud::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(matchcloud::http::dispatch)
