#pragma once

#include "load/arrivals.hpp"
#include "load/latency_bands.hpp"
#include "load/tally.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace matchcloud::load {

/// The counts of one part of the mix in a moment.
struct moment_part {
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::array<std::uint64_t, failure_kinds> failures{};
  band_counts latency;

  std::uint64_t errors() const noexcept {
    return std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
  }
};

/// One second of a run, ramp included; longer in runs of more than an hour, and the last one may be
/// shorter.
struct moment {
  /// Its beginning and end, in seconds since the load began.
  double begins = 0;
  double seconds = 0;
  /// Whether all of it is after the ramp and before the end of sending.
  bool is_measured = false;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t errors = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p90_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t p99_9_ns = 0;
  std::uint64_t max_ns = 0;
  std::vector<moment_part> parts;
};

/// The results of one of the stages of a run.
struct stage_results {
  rate_stage which;
  /// For all operations together; a request belongs to the stage in which it was due.
  tally all;

  double requests_per_second() const noexcept {
    return static_cast<double>(all.answered) / std::chrono::duration<double>{which.length}.count();
  }
};

/// The results of a run.
struct results {
  /// The tally of all requests, then the tally of each row: a part of the mix, or a step of a flow.
  tally all;
  std::vector<tally> parts;
  /// Each flow as a whole: `sent` counts started walks, `answered` completed ones.
  std::vector<tally> flows;
  /// Empty for a run without stages. A signal that ends the run shortens the last one.
  std::vector<stage_results> stages;
  std::vector<moment> moments;
  /// When the load began, in milliseconds since 1970.
  std::int64_t began_ms = 0;
  /// From the end of the ramp to the end of sending, or to the last reply if that is later.
  double seconds = 0;
  /// The percentage of one core that the busiest thread used after the ramp.
  double busiest_thread_percent = 0;
  std::size_t unconnected = 0;
  /// TCP segments with requests that this machine resent because they were lost; includes the ramp,
  /// but not connections that had one request each.
  std::uint64_t resent_segments = 0;
  bool stopped_early = false;

  double requests_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(all.answered) / seconds : 0;
  }
};

} // namespace matchcloud::load
