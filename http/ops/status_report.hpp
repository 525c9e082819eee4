#pragma once

#include "http/ops/service_metrics.hpp"

#include <string>

namespace matchcloud::http {

/// How the service is at the moment, as one line of JSON for watchers: whether it is ready, the
/// connections and the requests in flight of both planes, and the answers and restarts of actors so
/// far. Any thread.
std::string status_report(const metric_sources& of, bool is_ready);

} // namespace matchcloud::http
