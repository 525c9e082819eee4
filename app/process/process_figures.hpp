#pragma once

#include "base/metrics.hpp"

namespace matchcloud::app {

/// Adds the process metrics of Prometheus' own client libraries, by the same names: start time,
/// processor time, memory and descriptors. They are read from /proc when they are shown; values
/// that cannot be read are left out.
void show_process(base::metric_set& in);

} // namespace matchcloud::app
