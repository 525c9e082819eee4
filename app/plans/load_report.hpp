#pragma once

#include "base/expected.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

/// A second of a load, as matchcloud-load reports it.
struct load_second {
  /// Since the plan's start.
  std::chrono::milliseconds begin{0};
  std::chrono::milliseconds end{0};
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t errors = 0;
  double p50_us = 0;
  double p99_us = 0;
  double max_us = 0;
};

/// The measurements of a plan's load, from one or several runs of matchcloud-load.
struct load_report {
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  /// By kind, and `total`.
  std::map<std::string, std::uint64_t, std::less<>> errors;
  /// Complete replies by status.
  std::map<std::string, std::uint64_t, std::less<>> by_status;
  /// Microseconds by the name of the percentile, `max` or `mean`; the largest value of several
  /// runs.
  std::map<std::string, double, std::less<>> latency_us;
  std::vector<load_second> seconds;
  /// The first error of each kind.
  std::vector<std::string> examples;

  std::uint64_t error(std::string_view kind) const;
  /// Errors except 503 with Retry-After.
  std::uint64_t errors_not_retryable() const;
};

/// Adds the JSON report of a run that began at `began` of the plan. Fails with `io_failed` if it is
/// not such a report.
base::expected<void> add_report(load_report& to, std::string_view json,
                                std::chrono::milliseconds began);

} // namespace matchcloud::app
