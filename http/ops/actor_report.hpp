#pragma once

#include "actors/child_table.hpp"
#include "http/transport/transport_metrics.hpp"

#include <string>
#include <vector>

namespace matchcloud::http {

/// `GET /actors` of the ops plane: each actor's place, kind, event loop (null: it serves all),
/// state, depth (requests that wait for it), restarts, requests handled and last error (null:
/// none), the supervisor first. `transports`: one per event loop, or a single one. Any thread.
std::string actor_report(const actors::child_table& of,
                         const std::vector<const transport_metrics*>& transports);

} // namespace matchcloud::http
