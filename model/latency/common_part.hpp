#pragma once

#include <span>

namespace matchcloud::model {

/// Round trips of one report vary by this share of themselves: jitter, queues and detours.
inline constexpr double jitter_share = 0.15;

/// One region of a report, and what is known of it already.
struct judged_latency {
  double measured_ms = 0;
  /// What is predicted for the client, and the variance of the logarithm of that.
  double predicted_ms = 0;
  double variance = 0;
  /// The middle of what other clients of the cell reported; 0 if there is nothing.
  double cell_ms = 0;
  double cell_variance = 0;
};

/// What a report says as a whole.
struct report_judgement {
  /// The client's own last mile, which all its round trips have in common, in milliseconds. It does
  /// not change the order of regions, and it is not the cell's.
  double common_ms = 0;
  /// How probable it is that the client measured what it reports, 0 to 1.
  double honesty = 0;
};

/// Judges a report by what is known. An honest report is what is known, times jitter, plus an
/// exponential last mile; a lie is anything. Also compares with what others of the cell reported,
/// which may agree with each other and not with the prediction. O(regions).
report_judgement judge_report(std::span<const judged_latency> latencies) noexcept;

} // namespace matchcloud::model
