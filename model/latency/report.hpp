#pragma once

#include "model/latency/cell.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace matchcloud::model {

/// The most regions that a learner can know at once.
inline constexpr std::size_t latency_region_limit = 256;

/// A round trip that a client measured.
struct region_latency {
  /// The learner's number of the region, see `latency_learner::number_of`.
  std::uint16_t region = 0;
  double milliseconds = 0;
};

/// Measurements by one client at one time, each region once.
struct latency_report {
  client_cells client;
  std::span<const region_latency> latencies;
  /// Milliseconds since 1970.
  std::int64_t time_ms = 0;
  /// A hash of the reporter; addresses never get here.
  std::uint64_t reporter = 0;
};

} // namespace matchcloud::model
