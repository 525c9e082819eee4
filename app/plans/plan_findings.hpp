#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

using named_counts = std::map<std::string, std::uint64_t, std::less<>>;

/// A second of a load, as matchcloud-load reports it.
struct load_second {
  /// Since the plan's start.
  std::chrono::milliseconds begin{0};
  std::chrono::milliseconds end{0};
  /// `sent`, `answered`, `errors`, `p50_us`, `p99_us` and `max_us`.
  std::map<std::string, double, std::less<>> values;
};

/// What a plan saw: of the service, and of its load, from one or several runs of matchcloud-load.
struct plan_findings {
  /// Named as in checks: `sent`, `answered`, `status.503`, `hits`, `hits.store.read`, `restarts`.
  named_counts counts;
  /// Errors of the load by kind, and `total`.
  named_counts errors;
  /// Latencies: counts by the upper bound in microseconds.
  std::map<double, std::uint64_t> histogram;
  std::vector<load_second> seconds;
  /// An error of each kind, such as `reset: connection reset`.
  std::map<std::string, std::string> examples;

  /// Adds the JSON report of a run to those of a plan that began at `plan_began`, in time since
  /// 1970. Returns false if it is not such a report.
  bool add_report(std::string_view json, std::chrono::milliseconds plan_began);
  /// The count that a check calls `metric`; 0 if it is unknown.
  std::uint64_t count(std::string_view metric) const;
  /// Microseconds of `p50` (any percentile), `max` or `mean`; nothing if it is unknown.
  std::optional<double> latency_us(std::string_view name) const;
};

} // namespace matchcloud::app
