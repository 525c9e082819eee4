#pragma once

#include "base/error.hpp"
#include "http/operations/list.hpp"
#include "http/wire/response.hpp"

#include <string>

namespace matchcloud::http {

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
