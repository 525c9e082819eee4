#pragma once

#include "base/metrics.hpp"

#include <string>

namespace matchcloud::http {

/// The current values of the metrics, in the Prometheus text format. Any thread.
std::string render_metrics(const base::metric_set& of);

} // namespace matchcloud::http
