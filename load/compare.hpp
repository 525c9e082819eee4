#pragma once

#include "load/latency.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// A ratio of two measurements and its confidence interval.
struct ratio_estimate {
  double ratio = 1;
  double low = 0;
  double high = 0;
};

/// A statistic of a run, computed from the intervals whose numbers are in `taken`; an interval may
/// be taken several times.
using run_statistic = std::function<double(const std::vector<std::size_t>& taken)>;

/// Estimates the ratio of `b` to `a`. Resamples the intervals of each run 1,000 times, in blocks,
/// because consecutive seconds resemble each other. The variation of the logarithm of the ratio is
/// its standard error (Efron 1979; Kuensch 1989 for the blocks). The confidence interval uses
/// Student's t, because there may be few intervals. `confidence`: 0 to 1. The same seed gives the
/// same estimate. Both statistics must be above 0 over all intervals; a draw in which one is 0 is
/// left out.
ratio_estimate estimate_ratio(const run_statistic& a, std::size_t intervals_of_a,
                              const run_statistic& b, std::size_t intervals_of_b, double confidence,
                              std::uint64_t seed);

/// The value that a normal variable does not exceed with this probability (0 to 1, exclusive).
double normal_quantile(double probability);
/// As above for Student's t, with at least 3 degrees of freedom (Cornish and Fisher 1937).
double student_quantile(double probability, double degrees);

/// The counts of one operation in an interval of a run.
struct compared_operation {
  std::uint64_t answered = 0;
  band_counts latency;
};

struct compared_interval {
  double seconds = 0;
  std::map<std::string, compared_operation> operations;
};

/// The work of the service's event loops for its requests.
struct compared_work {
  double busy_seconds = 0;
  double requests = 0;
};

/// A run, as read from a `--json` report.
struct compared_run {
  std::string file;
  /// The options of the run, by the names of the report's members: `loop`, `rate`, `connections`.
  std::map<std::string, std::string> asked;
  std::uint64_t errors = 0;
  /// The intervals after the ramp and before the end of sending.
  std::vector<compared_interval> intervals;
  /// Empty without `--ops`.
  std::vector<compared_work> work;
};

/// With fewer measured intervals, it is unknown how much the numbers vary.
inline constexpr std::size_t least_intervals = 5;

/// Reads a report. Throws `base::failure` with `config_invalid` if it is not one, or has too few
/// intervals; the detail begins with the file's name.
compared_run parse_run(const std::string& file, std::string_view text);
/// Reads a report from a file. Also throws `io_failed`.
compared_run read_run(const std::string& file);

enum class compared_measure : std::uint8_t { p50, p99, throughput, processor_time };

/// `unclear`: the difference may be below the tolerance, or zero.
enum class compared_verdict : std::uint8_t { faster, slower, unclear };

/// One measure of an operation in both runs.
struct compared_row {
  /// `all` means all operations together.
  std::string operation;
  compared_measure measure = compared_measure::p50;
  /// Nanoseconds, or replies per second.
  double a = 0;
  double b = 0;
  /// `b` to `a`.
  ratio_estimate ratio{};
  compared_verdict verdict = compared_verdict::unclear;
};

struct comparison {
  std::vector<compared_row> rows;
  /// Reasons to doubt the comparison, one sentence each.
  std::vector<std::string> notes;

  /// Whether the second run has more errors than the first.
  bool has_more_errors = false;

  bool has(compared_verdict which) const noexcept;
};

std::string_view name_of(compared_measure which) noexcept;
/// `cannot tell` for `unclear`.
std::string_view name_of(compared_verdict which) noexcept;

/// Compares two runs by operation. `tolerance`: the difference to ignore, as a fraction of the
/// measure. A row is slower, or faster, if its whole interval lies on that side beyond the
/// tolerance. With 95 % confidence, all true ratios lie in their intervals (Bonferroni), so that a
/// chance difference in one of many rows does not fail a build. Throws `base::failure` with
/// `config_invalid` if the runs have no operation in common. The same seed gives the same result.
comparison compare(const compared_run& a, const compared_run& b, double tolerance,
                   std::uint64_t seed);

/// The comparison as a table.
std::string compare_text(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance);
/// The comparison as JSON; docs/load.md lists the members.
std::string compare_json(const compared_run& a, const compared_run& b, const comparison& of,
                         double tolerance);

} // namespace matchcloud::load
