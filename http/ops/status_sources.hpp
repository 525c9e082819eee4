#pragma once

#include "actors/region_ranking/region_ranking.hpp"
#include "actors/supervision/child_table.hpp"
#include "base/byte_budget.hpp"
#include "http/loop/event_loop.hpp"
#include "http/transport/transport_metrics.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace matchcloud::http {

/// A number that only grows, in the service's history.
struct history_count {
  /// Has static storage duration.
  std::string_view name;
  /// Any thread.
  std::function<std::uint64_t()> total;
};

/// The sources of the numbers in reports. All pointers must outlive the reports.
struct status_sources {
  /// The data plane's: one per event loop.
  std::vector<const transport_metrics*> transports;
  /// The ops plane's.
  const transport_metrics* ops = nullptr;
  /// The data plane's.
  std::vector<const loop_metrics*> loops;
  /// How long each of them has waited for a processor, in nanoseconds. Any thread.
  std::vector<std::function<std::uint64_t()>> loop_waits;
  const actors::child_table* children = nullptr;
  /// Whether faults can be injected.
  bool faults = false;
  const base::byte_budget* budget = nullptr;
  std::vector<history_count> counts;
  /// One per event loop; empty if places are not counted.
  std::vector<const actors::place_counts*> places;
};

} // namespace matchcloud::http
