#pragma once

#include "base/expected.hpp"

#include <cstddef>
#include <string>

namespace matchcloud::app {

/// Checks that the system lets this process have `needed` threads in all, by starting the missing
/// ones and ending them again. No limit says that reliably, because other processes of the user and
/// of the control group count too. Fails with `unavailable` and a sentence that says how many are
/// needed, how many are possible and what the limits are. Takes a millisecond for 30 threads. Call
/// before starting threads that must not fail.
base::expected<void> try_threads(std::size_t needed);

/// What limits the number of threads, such as "RLIMIT_NPROC is 12 (ulimit -u)"; empty if no limit
/// is visible.
std::string describe_thread_limits();

} // namespace matchcloud::app
