#pragma once

#include "base/metrics.hpp"

#include <string>

namespace matchcloud::http {

/// What the metrics are at the moment, in the Prometheus text format. Any thread.
std::string render_metrics(const base::metric_set& of);

} // namespace matchcloud::http
