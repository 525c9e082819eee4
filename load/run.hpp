#pragma once

#include "base/expected.hpp"
#include "cli/interrupt.hpp"
#include "load/options.hpp"
#include "load/results.hpp"

namespace matchcloud::load {

/// Makes the load and counts. A signal ends it early, with what came until then. Shows each second
/// on stderr where that is a terminal. Fails with `io_failed` where the service cannot be reached
/// at all. Main thread.
base::expected<results> run(const options& options, const cli::interrupt& signals);

} // namespace matchcloud::load
