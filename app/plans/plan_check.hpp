#pragma once

#include "app/plans/load_report.hpp"
#include "base/expected.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
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

/// An instant of a plan: a time after the plan's start, or after a moment.
struct plan_instant {
  std::chrono::milliseconds plan_moments::*after = nullptr;
  std::chrono::milliseconds offset{0};

  std::chrono::milliseconds at(const plan_moments& in) const noexcept {
    return offset + (after == nullptr ? std::chrono::milliseconds{0} : in.*after);
  }
};

/// What a plan saw, for its checks.
struct plan_findings {
  load_report load;
  plan_moments moments;
  /// Named as in checks: how often faults hit (`hits`, `hits.store.read`), and how many actors were
  /// restarted (`restarts`).
  named_counts counts;
};

/// Whether a check holds, and the observed value, for people.
struct check_result {
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
  /// The span; without it, the whole plan.
  std::optional<plan_instant> from;
  std::optional<plan_instant> until;
  /// Whether seconds count of which at least half lies in the span, or only those that lie
  /// completely in it.
  bool by_halves = false;

  /// Whether it is about the load, not about the service.
  bool needs_load() const noexcept;
  check_result judge(const plan_findings& by) const;
};

/// A part of a plan as errors repeat it.
std::string plan_excerpt(std::string_view text);
bool is_one_of(std::string_view name, std::span<const std::string_view> names);
/// `Did you mean ..?` if one of `names` is close to `name`, else `allowed` and all of them.
std::string instead_of(std::string_view name, std::span<const std::string_view> names,
                       std::string_view allowed);

/// Reads a check. Fails with `config_invalid`, which says what is wrong and what is allowed.
base::expected<plan_check> parse_check(std::string_view text);

} // namespace matchcloud::app
