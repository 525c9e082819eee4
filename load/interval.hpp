#pragma once

#include "load/latency_bands.hpp"
#include "load/latency_histogram.hpp"
#include "load/results.hpp"
#include "load/tally.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace matchcloud::load {

/// What happened on one thread, or on all, since the last interval; ramp included. One thread.
struct interval {
  struct part {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::array<std::uint64_t, failure_kinds> failures{};
    latency_bands latency;
  };

  /// For all parts of the mix together, then for each.
  latency_histogram latency;
  std::vector<part> parts;

  /// Both must have the same number of parts, unless this one has none yet.
  void add(const interval& other);
  void clear();
  /// The summary for reports. The caller sets `begins`, `seconds` and `is_measured`.
  moment summary() const;
};

} // namespace matchcloud::load
