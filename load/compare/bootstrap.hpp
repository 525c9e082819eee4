#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

} // namespace matchcloud::load
