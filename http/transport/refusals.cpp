#include "http/transport/refusals.hpp"

#include "http/wire/header_characters.hpp"

namespace matchcloud::http {

using base::errc;

base::error too_many_request_bytes() {
  return {errc::budget_exhausted,
          "The service's byte budget has no room for this request. Try again later."};
}

base::error too_many_response_bytes() {
  return {errc::budget_exhausted,
          "The service's byte budget has no room for the answer. Try again later."};
}

base::error too_many_in_flight() {
  return {errc::overloaded, "Too many requests are in flight. Try again later."};
}

base::error too_many_connections() {
  return {errc::overloaded,
          "This client's address has reached its limit of connections. Reuse connections, or close "
          "some and try again later."};
}

base::error had_to_make_room() {
  return {errc::overloaded,
          "The service has reached its limit of connections, and of those with an incomplete "
          "request, this one waited longest. Send requests without pauses, and try again later."};
}

base::error mailbox_full() {
  return {errc::overloaded,
          "The queue for such requests is full. Retry after the time in Retry-After."};
}

base::error failed_repeatedly() {
  return {errc::unavailable,
          "The part of the service that answers this request failed repeatedly. Try again later."};
}

base::error outcome_unknown() {
  return {errc::outcome_unknown,
          "The part of the service that answers this request failed while working on it. The "
          "change may or may not have happened. Check whether it has before you retry.",
          true};
}

base::error body_interrupted() {
  return {errc::unavailable,
          "The part of the service that received the body failed. Send all of it again: lines that "
          "are already stored stay, and repeating them does no harm."};
}

base::error not_answered_in_time(operation which) {
  const auto& row = row_of(which);
  if (!row.late_advice.empty()) return {errc::deadline_exceeded, std::string{row.late_advice}};
  if (!row.is_repeatable)
    return {
        errc::deadline_exceeded,
        "The request was not answered within its deadline, but its change may still happen. Check "
        "whether it has before you retry."};
  return {errc::deadline_exceeded, "The request was not answered within its deadline. Try again."};
}

base::error shutting_down() {
  return {errc::draining, "The service is shutting down. Try again later."};
}

response refusal(const base::error& why, const problem_subject& of, plane on) {
  auto answer = problem(why, of);
  answer.headers = no_store_header;
  if (on == plane::data) answer.headers += any_origin_headers;
  return answer;
}

} // namespace matchcloud::http
