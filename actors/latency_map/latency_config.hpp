#pragma once

#include "base/config_row.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace matchcloud::actors {

/// What is learned about latencies, and how much is kept.
struct latency_config {
  /// Whether reports are learned. What is in the store is used either way.
  bool learns = true;
  /// Whether the latencies of `?rtt=` count as reports.
  bool learns_from_listings = false;
  std::chrono::seconds report_interval{60};
  std::size_t entry_limit = 1'000'000;
};

inline base::config_rows<latency_config> latency_keys() {
  constexpr std::uint64_t day_s = 86'400;
  return {
      base::flag_row("latency-learning", &latency_config::learns,
                     "Whether latencies that clients report are learned. What the store already "
                     "has, such as imports, is used either way."),
      base::flag_row("learn-from-listings", &latency_config::learns_from_listings,
                     "Whether latencies that clients name in `rtt` when they list regions are "
                     "learned, as those that they report with POST /matchmaker/latencies are."),
      base::number_row("latency-report-interval-s", &latency_config::report_interval, 1, day_s,
                       "In each process, an address has one report in this time; others are not "
                       "learned."),
      base::number_row("latency-entries", &latency_config::entry_limit, 2'048, 100'000'000,
                       "How many latencies that networks and clients reported are kept in memory, "
                       "64 bytes each; beyond, groups that reported least recently go."),
  };
}

} // namespace matchcloud::actors
