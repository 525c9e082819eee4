#pragma once

#include "app/process/reload_outcome.hpp"
#include "base/expected.hpp"

#include <sys/types.h>

#include <chrono>

/// How `matchcloud reload` asks a running service, and gets its answer: SIGHUP with a number, by
/// which the service finds the socket that the answer goes to. Only who may send the process a
/// signal can ask.
namespace matchcloud::app {

/// Tells a process to reload, and waits for its answer. Fails with `unavailable`, saying why, where
/// `which` does not serve, may not be told, or does not answer in time.
base::expected<reload_outcome> ask_to_reload(pid_t which, std::chrono::milliseconds at_most);

/// The process that serves on this machine. Fails with `unavailable` if there is none, or more than
/// one, naming them.
base::expected<pid_t> find_serving_process();

/// Answers who asked with that number; nothing with 0. Never waits.
void answer_reload(int asked_with, const reload_outcome& outcome);

} // namespace matchcloud::app
