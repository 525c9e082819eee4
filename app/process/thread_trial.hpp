#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string>

namespace matchcloud::app {

/// Checks that the system lets this process have `needed` threads with those that it has, by
/// starting the rest and ending them: no number says that reliably, because other processes of the
/// user and of the control group count, too. Fails with `unavailable` and a sentence that says how
/// many are needed, how many there can be and what the limits are. Takes a millisecond for 30
/// threads. Call before threads are started that cannot fail well.
base::expected<void> try_threads(std::size_t needed);

/// What limits the number of threads, such as "RLIMIT_NPROC is 12 (ulimit -u)"; empty if nothing
/// does that can be seen.
std::string describe_thread_limits();

} // namespace matchcloud::app
