#pragma once

#include "base/metrics.hpp"

#include <cstdint>

namespace matchcloud::app {

/// Adds the process metrics of Prometheus' own client libraries, by the same names: start time,
/// processor time, memory and descriptors. They are read from /proc when they are shown; values
/// that cannot be read are left out. `started_ms`: when the process began, since 1970.
void show_process(base::metric_set& in, std::int64_t started_ms);

} // namespace matchcloud::app
