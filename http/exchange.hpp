#pragma once

#include "actors/protocol.hpp"
#include "http/operation.hpp"
#include "http/request.hpp"
#include "http/response.hpp"

#include <caf/actor.hpp>

#include <cstdint>

namespace matchcloud::http {

/// Tries of one exchange before it is answered `unavailable`: a request that kills who handles it
/// must not do so for ever.
inline constexpr std::uint32_t attempt_limit = 3;

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

  /// The front is ready. Every unanswered exchange is dispatched to it.
  virtual void attach(caf::actor front) = 0;

  /// Notes what the exchange asks for and who is to answer it. `owner::none`: the front is.
  virtual void routed(actors::exchange_ref exchange, operation asked, actors::owner waits_for) = 0;

  /// The request of a current exchange; null where it is answered or its client is gone.
  virtual request_ptr find(actors::exchange_ref exchange) const = 0;

  /// Answers an exchange. A second answer, or one to an older attempt, is dropped.
  virtual void answer(actors::exchange_ref exchange, response&& with) = 0;

  /// Dispatches every exchange that waits for `owner` again, as a further attempt.
  virtual void redispatch(actors::owner owner) = 0;
};

} // namespace matchcloud::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(matchcloud::http::dispatch)
