#pragma once

#include "app/process/reload_outcome.hpp"
#include "base/expected.hpp"

#include <sys/types.h>

#include <chrono>

/// How `matchcloud reload` makes a running service reload and receives its answer: it sends SIGHUP
/// with a number, from which the service derives the name of the socket for the answer. Only users
/// who may send signals to the process can do this.
namespace matchcloud::app {

/// Tells a process to reload, and waits for its answer. Fails with `unavailable` and the reason if
/// `which` does not serve, may not be signalled, or does not answer in time.
base::expected<reload_outcome> ask_to_reload(pid_t which, std::chrono::milliseconds at_most);

/// The process that serves on this machine. Fails with `unavailable` if there is none, or more than
/// one, naming them.
base::expected<pid_t> find_serving_process();

/// Answers the request with that number; does nothing if it is 0. Never waits.
void answer_reload(int asked_with, const reload_outcome& outcome);

} // namespace matchcloud::app
