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

/// The moments that checks can refer to, since the plan's start.
struct plan_moments {
  /// The first injection, and the last heal.
  std::chrono::milliseconds injecting{0};
  std::chrono::milliseconds healing{0};
  /// When the last rule has ended: healed, or after its own time.
  std::chrono::milliseconds ended{0};
};

/// Whether a check holds, and the observed value, for people.
struct check_result {
  std::string text;
  bool holds = false;
  std::string seen;
};

/// A condition that has to hold: `p99 < 10ms from 5s after healing`. Within a span, a time is the
/// worst of its seconds.
struct plan_check {
  /// As written in the plan.
  std::string text;
  std::string metric;
  /// `<`, `<=`, `=`, `!=`, `>=` or `>`.
  std::string sign;
  /// Microseconds for times.
  double value = 0;
  /// The span, since the plan's start; without it, the whole plan.
  std::optional<std::chrono::milliseconds> from;
  std::optional<std::chrono::milliseconds> until;
  /// Whether seconds count of which at least half lies in the span, or only those that lie
  /// completely in it.
  bool by_halves = false;

  /// Whether it is about the load, not about the service.
  bool needs_load() const noexcept;
  check_result judge(const plan_findings& by) const;
};

/// Reads a check of a plan with these moments. Fails with `config_invalid`, which says what is
/// wrong and what is allowed.
base::expected<plan_check> parse_check(std::string_view text, const plan_moments& in);

} // namespace matchcloud::app
