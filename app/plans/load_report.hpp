#pragma once

#include "base/expected.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

using named_counts = std::map<std::string, std::uint64_t, std::less<>>;

/// The count with this name; 0 if there is none.
inline std::uint64_t count_in(const named_counts& in, std::string_view name) {
  const auto found = in.find(name);
  return found == in.end() ? 0 : found->second;
}

/// A second of a load, as matchcloud-load reports it.
struct load_second {
  /// Since the plan's start.
  std::chrono::milliseconds begin{0};
  std::chrono::milliseconds end{0};
  /// `sent`, `answered` and `errors`; `p50`, `p99` and `max` in microseconds.
  std::map<std::string, double, std::less<>> values;
};

/// The measurements of a plan's load, from one or several runs of matchcloud-load.
struct load_report {
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  /// By kind, and `total`.
  named_counts errors;
  /// Complete replies by status.
  named_counts by_status;
  /// Latencies of all runs: counts by the upper bound in microseconds.
  std::map<double, std::uint64_t> histogram;
  /// Whether the report of a run had no histogram.
  bool lacks_histogram = false;
  std::vector<load_second> seconds;
  /// The first error of each kind.
  std::vector<std::string> examples;

  std::uint64_t error(std::string_view kind) const { return count_in(errors, kind); }
  /// Errors except 503 with Retry-After.
  std::uint64_t errors_not_retryable() const { return error("total") - error("unavailable"); }
  /// Microseconds of `p50` (any percentile), `max` or `mean` of all runs; nothing if it is unknown.
  std::optional<double> latency_us(std::string_view name) const;
};

/// Adds the JSON report of a run to those of a plan that began at `plan_began`, in time since 1970.
/// Fails with `io_failed` if it is not such a report.
base::expected<void> add_report(load_report& to, std::string_view json,
                                std::chrono::milliseconds plan_began);

} // namespace matchcloud::app
