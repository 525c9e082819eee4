#pragma once

#include "load/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::load {

/// A second of a run, ramp included; the last one may be shorter.
struct moment {
  /// Since the load began.
  double seconds = 0;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t errors = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
};

/// What came of a run.
struct results {
  /// The whole mix, and each of its parts.
  tally all;
  std::vector<tally> parts;
  std::vector<moment> moments;
  /// From the end of the ramp to the end of sending, or to the last reply where that is later.
  double seconds = 0;
  /// Of one core, of the thread that was busiest; behind the ramp.
  double busiest_thread_percent = 0;
  std::size_t unconnected = 0;
  bool stopped_early = false;

  double requests_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(all.answered) / seconds : 0;
  }
};

} // namespace matchcloud::load
