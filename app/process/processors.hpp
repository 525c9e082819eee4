#pragma once

#include "app/process/control_groups.hpp"

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

namespace matchcloud::app {

/// The processors that the system lets a process use.
struct processors {
  /// The number that its threads may run on (sched_getaffinity(2)).
  std::size_t allowed = 1;
  /// The smallest CPU quota of its control groups.
  std::optional<control_group_limit<double>> quota;

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

} // namespace matchcloud::app
