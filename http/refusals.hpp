#pragma once

#include "base/error.hpp"
#include "http/operation.hpp"
#include "http/response.hpp"

#include <string_view>

namespace matchcloud::http {

/// What a transport itself answers when it cannot or must not wait for an actor: the same words on
/// every transport.

base::error too_many_request_bytes();
base::error too_many_response_bytes();
base::error too_many_in_flight();
/// The actors that were to answer died `attempt_limit` times.
base::error failed_repeatedly();
base::error not_answered_in_time(operation asked);
base::error shutting_down();

/// What a transport answers of its own. Pages of every origin may read it, so that they can tell it
/// from a broken network: it says nothing that depends on who asks.
response refusal(const base::error& why, std::string_view request_id);

} // namespace matchcloud::http
