#pragma once

#include "app/plans/plan_findings.hpp"
#include "base/expected.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

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
