#pragma once

#include "base/error.hpp"
#include "http/wire/operation.hpp"
#include "http/wire/response.hpp"

#include <string_view>

namespace matchcloud::http {

/// What a transport itself answers when it cannot or must not wait for an actor: the same words on
/// every transport.

base::error too_many_request_bytes();
base::error too_many_response_bytes();
base::error too_many_in_flight();
/// The client's address holds its share of a service that is half full.
base::error too_many_connections();
/// As many requests wait for what answers this one as may.
base::error mailbox_full();
/// It was sent again `resend_limit` times, and the actor that had it in hand died of that too.
base::error failed_repeatedly();
/// Whoever worked on it died, and it must not be done twice.
base::error outcome_unknown();
base::error not_answered_in_time(operation which);
base::error shutting_down();

/// What a transport answers of its own. Pages of every origin may read it, so that they can tell it
/// from a broken network: it says nothing that depends on who asks.
response refusal(const base::error& why, std::string_view request_id);

} // namespace matchcloud::http
