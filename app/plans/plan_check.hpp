#pragma once

#include "app/plans/load_report.hpp"
#include "base/expected.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// The moments that checks can refer to.
struct plan_moments {
  std::chrono::milliseconds injecting{0};
  std::chrono::milliseconds healing{0};
  std::chrono::milliseconds end{0};
};

/// An instant of a plan: a time after the plan's start, or after a moment.
struct plan_instant {
  enum class base : std::uint8_t { start, injecting, healing };

  base after = base::start;
  std::chrono::milliseconds offset{0};

  std::chrono::milliseconds at(const plan_moments& in) const noexcept;
};

enum class comparison : std::uint8_t { less, at_most, equal, not_equal, at_least, greater };

/// What a plan saw, for its checks.
struct plan_findings {
  load_report load;
  plan_moments moments;
  /// How often the plan's faults hit, and how many actors were restarted.
  std::uint64_t hits = 0;
  std::uint64_t restarts = 0;
};

/// Whether a check holds, and the observed value, for people.
struct check_result {
  bool holds = false;
  std::string seen;
};

/// A condition that has to hold: `p99 < 10ms from 5s after healing`. Within a span, only seconds
/// that lie completely in it count, and a time is the worst of these seconds.
struct plan_check {
  /// As written in the plan.
  std::string text;
  std::string metric;
  comparison compares_by = comparison::equal;
  /// Microseconds for times.
  double value = 0;
  std::optional<plan_instant> from;
  std::optional<plan_instant> until;

  /// Whether it is about the load, not about the service.
  bool needs_load() const noexcept;
  check_result judge(const plan_findings& by) const;
};

/// A part of a plan as errors repeat it.
std::string plan_excerpt(std::string_view text);

/// Reads a check. Fails with `config_invalid`, which says what is wrong and what is allowed.
base::expected<plan_check> parse_check(std::string_view text);

} // namespace matchcloud::app
