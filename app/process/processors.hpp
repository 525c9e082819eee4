#pragma once

#include "app/process/control_groups.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace matchcloud::app {

/// The processors that the system lets this process use.
struct processors {
  /// The number that its threads may run on (sched_getaffinity(2)).
  std::size_t allowed = 1;
  /// The smallest CPU quota of its control groups.
  std::optional<control_group_limit<double>> quota;

  /// How many threads can be busy at once: `allowed`, or the quota, rounded up. At least 1.
  std::size_t usable() const noexcept;
  /// Says what limits it, such as "this process may use 4 processors, and the CPU quota of
  /// /sys/fs/cgroup allows 1.5".
  std::string describe() const;
};

/// Reads the current state of the system. `root` is prepended to all paths, for tests.
processors find_processors(const std::string& root = {});

} // namespace matchcloud::app
