#pragma once

#include "cli/interrupt.hpp"
#include "load/options.hpp"
#include "load/results.hpp"

namespace matchcloud::load {

/// Runs the load and returns the results. A signal ends the load early, with the results up to
/// then. Reports each second on stderr if that is a terminal. Throws `base::failure` with
/// `io_failed` if the service cannot be reached at all, if the limit on descriptors is too low or
/// if `--sources` does not fit the service's address, and with `config_invalid` if the requests
/// would take too much memory. Main thread.
results run(const options& options, const cli::interrupt& signals);

} // namespace matchcloud::load
