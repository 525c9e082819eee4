#pragma once

#include "base/expected.hpp"
#include "base/metrics.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace matchcloud::app {

/// The folder of a process in /proc, of this one for 0.
std::string folder_of_process(pid_t process);

/// A limit, and the folder of the control group that has it.
struct control_group_limit {
  double limit = 0;
  std::string folder;
};

// The smallest limit of a process's control groups of v1 and v2 and of those above them, which are
// in /sys/fs/cgroup; empty if none has one. `root` is prepended to all paths, for tests.

/// How many processors the CPU quota keeps busy all the time, such as 1.5.
std::optional<control_group_limit> find_cpu_quota(const std::string& root = {}, pid_t process = 0);
/// The number of processes and threads (`pids.max`).
std::optional<control_group_limit> find_pids_limit(const std::string& root = {});
/// The bytes of memory (`memory.max`). Without a limit, v1 has one beyond any memory.
std::optional<control_group_limit> find_memory_limit(const std::string& root = {},
                                                     pid_t process = 0);

/// The processors that the system lets a process use.
struct processors {
  /// The number that its threads may run on (sched_getaffinity(2)).
  std::size_t allowed = 1;
  /// The smallest CPU quota of its control groups.
  std::optional<control_group_limit> quota;

  /// How many threads can be busy at once: `allowed`, or the quota, rounded up. At least 1.
  std::size_t usable() const noexcept;
  /// The process; 0 for this one.
  pid_t of = 0;

  /// Says what limits it, such as "this process may use 4 processors, and the CPU quota of
  /// /sys/fs/cgroup allows 1.5".
  std::string describe() const;
};

/// Reads the current state of the system for a process, 0 for this one.
processors find_processors(pid_t of = 0);

/// Checks that the system lets this process have `needed` threads in all, by starting the missing
/// ones and ending them again. No limit says that reliably, because other processes of the user and
/// of the control group count too. Fails with `unavailable` and a sentence that says how many are
/// needed, how many are possible and what the limits are. Takes a millisecond for 30 threads. Call
/// before starting threads that must not fail.
base::expected<void> try_threads(std::size_t needed);

/// What limits the number of threads, such as "RLIMIT_NPROC is 12 (ulimit -u)"; empty if no limit
/// is visible.
std::string describe_thread_limits();

/// Adds the process metrics of Prometheus' own client libraries, by the same names: start time,
/// processor time, memory and descriptors. They are read from /proc when they are shown; values
/// that cannot be read are left out. `started_ms`: when the process began, since 1970.
void show_process(base::metric_set& in, std::int64_t started_ms);

/// The name of this machine or container. Any thread.
inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

} // namespace matchcloud::app
