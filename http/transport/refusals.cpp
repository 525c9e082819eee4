#include "http/transport/refusals.hpp"

#include "http/wire/header_characters.hpp"

namespace matchcloud::http {

using base::errc;

base::error too_many_request_bytes() {
  return {errc::budget_exhausted,
          "The service holds as many request bytes as it may. Try again later."};
}

base::error too_many_response_bytes() {
  return {errc::budget_exhausted,
          "The service holds as many response bytes as it may. Try again later."};
}

base::error too_many_in_flight() {
  return {errc::overloaded,
          "As many requests are in flight as the service takes. Try again later."};
}

base::error too_many_connections() {
  return {errc::overloaded,
          "This client's address holds as many connections as one may while the service is busy. "
          "Reuse connections, or close some and try again later."};
}

base::error had_to_make_room() {
  return {errc::overloaded,
          "The service has as many connections as it takes, and of those whose request was not "
          "complete this one waited longest. Send requests at once; try again later."};
}

base::error mailbox_full() {
  return {errc::overloaded,
          "As many such requests wait as the service takes. Come back after Retry-After."};
}

base::error failed_repeatedly() {
  return {errc::unavailable, "What answers this request failed repeatedly. Try again later."};
}

base::error outcome_unknown() {
  return {errc::outcome_unknown,
          "What answers this request failed while it was being done: it may have happened or not. "
          "Look at what it was to change before you ask again.",
          true};
}

base::error body_interrupted() {
  return {
      errc::unavailable,
      "What took the body failed. Send all of it again: lines that were stored already stay and "
      "do no harm."};
}

base::error not_answered_in_time(operation which) {
  const auto& row = row_of(which);
  if (!row.late_advice.empty()) return {errc::deadline_exceeded, std::string{row.late_advice}};
  if (!row.is_repeatable)
    return {
        errc::deadline_exceeded,
        "The request was not answered within its deadline, and it may still happen. Look at what "
        "it was to change before you ask again."};
  return {errc::deadline_exceeded, "The request was not answered within its deadline. Try again."};
}

base::error shutting_down() {
  return {errc::draining, "The service is shutting down. Try again later."};
}

response refusal(const base::error& why, const problem_subject& of, plane on) {
  auto answer = problem(why, of);
  answer.headers = on == plane::data ? any_origin_headers : no_store_header;
  return answer;
}

} // namespace matchcloud::http
