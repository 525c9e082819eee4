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

  /// Of all parts of the mix together, then of each.
  latency_histogram latency;
  std::vector<part> parts;

  /// The other one has as many parts, or this one none yet.
  void add(const interval& other);
  void clear();
  /// What reports show of it. `begins`, `seconds` and `is_measured` are the caller's.
  moment summary() const;
};

} // namespace matchcloud::load
