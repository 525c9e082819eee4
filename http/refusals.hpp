#pragma once

#include "base/error.hpp"
#include "http/operation.hpp"

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

} // namespace matchcloud::http
