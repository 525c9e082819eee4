#pragma once

#include "actors/request/messages.hpp"
#include "base/error.hpp"
#include "http/limits/limits.hpp"
#include "http/operations/list.hpp"
#include "http/transport/admitted_request.hpp"
#include "http/transport/transport_metrics.hpp"
#include "http/wire/response.hpp"

#include <caf/actor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace matchcloud::http {

/// transport -> front: a complete request that waits for its answer.
struct dispatch {
  actors::exchange_ref exchange;
  request_ptr request;
};
void may_be_sent(const dispatch&);

/// transport -> front, and front -> front: requests wait for `exchange_sink::take_waiting`.
struct requests_wait {};
void may_be_sent(const requests_wait&);

/// An exchange that waits for its answer.
struct open_exchange {
  /// Null: there is no such exchange.
  request_ptr request;
  operation operation_id = operation::unmatched;
  base::owner waits_for = base::owner::none;

  explicit operator bool() const noexcept { return request != nullptr; }
};

/// What a front sees of its transport. The transport owns the exchanges and their deadlines; the
/// front keeps no state about them, so that it can be replaced. Called on the front's thread.
class exchange_sink {
public:
  virtual ~exchange_sink() = default;

  /// The front knows the owners and is ready. Every unanswered exchange is dispatched to it.
  virtual void attach(caf::actor front) = 0;

  /// The next queued request, after `requests_wait`; nothing: the queue is empty, and the next
  /// request will be announced again. A transport that sends `dispatch` for each has no queue.
  virtual std::optional<dispatch> take_waiting() { return std::nullopt; }

  /// Notes the exchange's operation and the owner that will answer it (`owner::none`: the front
  /// does). False if the owner's mailbox is full.
  virtual bool routed(actors::exchange_ref exchange, operation which, base::owner waits_for) = 0;

  /// The request of a current exchange; empty if it is answered or its client is gone.
  virtual open_exchange find(actors::exchange_ref exchange) const = 0;

  /// Answers an exchange. A second answer, or one to an older attempt, is dropped.
  virtual void answer(actors::exchange_ref exchange, response&& with) = 0;

  /// The owner of a streamed request body accepts `bytes` more; see `body_part`. A transport
  /// without streamed bodies ignores this and the next.
  virtual void grant(actors::exchange_ref /*exchange*/, std::size_t /*bytes*/) {}

  /// Sends a part of an answer that is a `body_in_parts`.
  virtual void send_part(const actors::answer_part& /*part*/) {}

  /// The owner was replaced: dispatches every exchange that waits for it again, as a further
  /// attempt.
  virtual void redispatch(base::owner owner) = 0;
};

/// The errors that a transport itself returns when it cannot or must not wait for an actor, in the
/// same words on every transport.

inline base::error too_many_request_bytes() {
  return {base::errc::budget_exhausted,
          "The service's byte budget has no room for this request. Try again later."};
}

inline base::error too_many_response_bytes() {
  return {base::errc::budget_exhausted,
          "The service's byte budget has no room for the answer. Try again later."};
}

inline base::error too_many_in_flight() {
  return {base::errc::overloaded, "Too many requests are in flight. Try again later."};
}

/// The client's address has its full share of connections while more than half are in use.
inline base::error too_many_connections() {
  return {base::errc::overloaded,
          "This client's address has reached its limit of connections. Reuse connections, or close "
          "some and try again later."};
}

/// The connection was needed for another client before its request was complete.
inline base::error had_to_make_room() {
  return {base::errc::overloaded,
          "The service has reached its limit of connections, and of those with an incomplete "
          "request, this one waited longest. Send requests without pauses, and try again later."};
}

/// The mailbox of the request's owner is full.
inline base::error mailbox_full() {
  return {base::errc::overloaded,
          "The queue for such requests is full. Retry after the time in Retry-After."};
}

/// The request was retried `resend_limit` times, and the actor that claimed it died each time.
inline base::error failed_repeatedly() {
  return {base::errc::unavailable,
          "The part of the service that answers this request failed repeatedly. Try again later."};
}

/// The actor that worked on the request died, and the operation must not be done twice.
inline base::error outcome_unknown() {
  return {base::errc::outcome_unknown,
          "The part of the service that answers this request failed while working on it. The "
          "change may or may not have happened. Check whether it has before you retry.",
          true};
}

/// The actor that received a streamed body, or the way to it, failed. Only the client can repeat
/// it.
inline base::error body_interrupted() {
  return {base::errc::unavailable,
          "The part of the service that received the body failed. Send all of it again: lines that "
          "are already stored stay, and repeating them does no harm."};
}

inline base::error not_answered_in_time(operation which) {
  const auto& row = row_of(which);
  if (!row.late_advice.empty())
    return {base::errc::deadline_exceeded, std::string{row.late_advice}};
  if (!row.is_repeatable)
    return {
        base::errc::deadline_exceeded,
        "The request was not answered within its deadline, but its change may still happen. Check "
        "whether it has before you retry."};
  return {base::errc::deadline_exceeded,
          "The request was not answered within its deadline. Try again."};
}

inline base::error shutting_down() {
  return {base::errc::draining, "The service is shutting down. Try again later."};
}

/// The answer of a transport itself. On the data plane pages of every origin may read it, so that
/// they can tell a refusal from a network failure: it says nothing that depends on the client.
inline response refusal(const base::error& why, const problem_subject& of, plane on = plane::data) {
  auto answer = problem(why, of);
  answer.headers = no_store_header;
  if (on == plane::data) answer.headers += any_origin_headers;
  return answer;
}

} // namespace matchcloud::http
