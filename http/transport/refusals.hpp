#pragma once

#include "base/error.hpp"
#include "http/operations/list.hpp"
#include "http/wire/response.hpp"

#include <string_view>

namespace matchcloud::http {

/// The errors that a transport itself returns when it cannot or must not wait for an actor, in the
/// same words on every transport.

base::error too_many_request_bytes();
base::error too_many_response_bytes();
base::error too_many_in_flight();
/// The client's address has its full share of connections while more than half are in use.
base::error too_many_connections();
/// The connection was needed for another client before its request was complete.
base::error had_to_make_room();
/// The mailbox of the request's owner is full.
base::error mailbox_full();
/// The request was retried `resend_limit` times, and the actor that claimed it died each time.
base::error failed_repeatedly();
/// The actor that worked on the request died, and the operation must not be done twice.
base::error outcome_unknown();
/// The actor that received a streamed body, or the way to it, failed. Only the client can repeat
/// it.
base::error body_interrupted();
base::error not_answered_in_time(operation which);
base::error shutting_down();

/// The answer of a transport itself. On the data plane pages of every origin may read it, so that
/// they can tell a refusal from a network failure: it says nothing that depends on the client.
response refusal(const base::error& why, const problem_subject& of, plane on = plane::data);

} // namespace matchcloud::http
