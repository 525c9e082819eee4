#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

/// How `matchcloud reload` makes a running service reload and receives its answer: it sends SIGHUP
/// with a number, from which the service derives the name of the socket for the answer. Only users
/// who may send signals to the process can do this, and only its own answer counts: the kernel says
/// which process sent it.
namespace matchcloud::app {

/// The result of a reload, for its caller and for the log.
struct reload_outcome {
  bool is_refused = false;
  /// Whole lines: why it was refused, or what is now in force and what needs a restart.
  std::string text;
};

/// Tells a process to reload, and waits for its answer. Throws `base::failure` with `unavailable`
/// and the reason if `which` does not serve, may not be signalled, or does not answer in time.
reload_outcome ask_to_reload(pid_t which, std::chrono::milliseconds at_most);

/// Whether a process is a `matchcloud serve`.
bool serves(pid_t which);

/// The real user of a process; the highest number if there is no such process.
uid_t user_of(pid_t which);

/// The services on this machine that this user may reload, ordered by number: its own, and all that
/// run a program of root's if it is root.
std::vector<pid_t> serving_processes();

/// Answers the request with that number; does nothing if it is 0. Never waits.
void answer_reload(int asked_with, const reload_outcome& outcome);

} // namespace matchcloud::app
