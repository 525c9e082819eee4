#pragma once

#include "http/ops/status_report.hpp"

#include <string>

namespace matchcloud::http {

/// `GET /actors` of the ops plane: each actor's place, kind, event loop (null: it serves all),
/// state, depth (requests that wait for it), restarts, requests handled and last error (null:
/// none), the supervisor first. Any thread.
std::string actor_report(const status_sources& of);

} // namespace matchcloud::http
