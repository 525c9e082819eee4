#pragma once

#include "app/client/ops_plane.hpp"
#include "base/expected.hpp"
#include "base/faults.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace matchcloud::app {

/// Counters of a process that checks use.
struct target_counters {
  std::uint64_t hits = 0;
  std::uint64_t restarts = 0;
};

/// A process that a plan breaks.
struct plan_target {
  std::string name = "service";
  ops_plane plane;
  /// The process's id, or a file that contains it; empty: signals cannot be sent.
  std::string pid;

  base::expected<void> inject(base::fault_point at, const base::fault_rule& rule,
                              const cli::interrupt& until) const;
  /// Ends the fault at a point; returns how often it hit.
  base::expected<std::uint64_t> heal(base::fault_point at, const cli::interrupt& until) const;
  base::expected<target_counters> counters(const cli::interrupt& until) const;
  base::expected<void> send(int signal) const;
};

} // namespace matchcloud::app
