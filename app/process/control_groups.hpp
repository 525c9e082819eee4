#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace matchcloud::app {

/// The folder of a process in /proc, of this one for 0.
std::string folder_of_process(pid_t process);

/// A limit, and the folder of the control group that has it.
template <class Limit>
struct control_group_limit {
  Limit limit{};
  std::string folder;
};

// The smallest limit of a process's control groups of v1 and v2 and of those above them, which are
// in /sys/fs/cgroup; empty if none has one. `root` is prepended to all paths, for tests.

/// How many processors the CPU quota keeps busy all the time, such as 1.5.
std::optional<control_group_limit<double>> find_cpu_quota(const std::string& root = {},
                                                          pid_t process = 0);
/// The number of processes and threads (`pids.max`).
std::optional<control_group_limit<std::uint64_t>> find_pids_limit(const std::string& root = {});
/// The bytes of memory (`memory.max`). Without a limit, v1 has one beyond any memory.
std::optional<control_group_limit<std::uint64_t>> find_memory_limit(const std::string& root = {},
                                                                    pid_t process = 0);

} // namespace matchcloud::app
