#pragma once

#include <span>

namespace matchcloud::model {

/// Round trips of one report vary by this share of themselves: jitter, queues and detours.
inline constexpr double jitter_share = 0.15;

/// One region of a report, and what is already known about it.
struct judged_latency {
  double measured_ms = 0;
  /// The prediction for the client, and the variance of its logarithm.
  double predicted_ms = 0;
  double variance = 0;
  /// The middle of what other clients of the cell reported; 0 if there are no reports.
  double cell_ms = 0;
  double cell_variance = 0;
};

/// The judgement on a report as a whole.
struct report_judgement {
  /// The client's own last mile, which all its round trips have in common, in milliseconds. It does
  /// not change the order of regions, and it does not belong to the cell.
  double common_ms = 0;
  /// The probability that the client measured what it reports, 0 to 1.
  double honesty = 0;
};

/// Judges a report by what is known. An honest report is what is known, times jitter, plus an
/// exponential last mile; a lie can be anything. Also compares it with other reports of the cell,
/// which may agree with each other and not with the prediction. O(regions).
report_judgement judge_report(std::span<const judged_latency> latencies) noexcept;

} // namespace matchcloud::model
