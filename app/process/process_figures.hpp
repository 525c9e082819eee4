#pragma once

#include "base/metrics.hpp"

namespace matchcloud::app {

/// Adds what Prometheus' own client libraries tell of a process, by the same names: when it began,
/// its processor time, memory and descriptors. They are read from /proc when they are shown; what
/// cannot be read is left out.
void show_process(base::metric_set& in);

} // namespace matchcloud::app
