#pragma once

#include "load/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::load {

/// One second of a run, ramp included; the last one may be shorter.
struct moment {
  /// The end of this second, since the load began.
  double seconds = 0;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t errors = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
};

/// The results of a run.
struct results {
  /// The tally of the whole mix, then that of each of its parts.
  tally all;
  std::vector<tally> parts;
  std::vector<moment> moments;
  /// From the end of the ramp to the end of sending, or to the last reply where that is later.
  double seconds = 0;
  /// The percentage of one core that the busiest thread used after the ramp.
  double busiest_thread_percent = 0;
  std::size_t unconnected = 0;
  bool stopped_early = false;

  double requests_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(all.answered) / seconds : 0;
  }
};

} // namespace matchcloud::load
