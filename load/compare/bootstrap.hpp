#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace matchcloud::load {

/// A ratio of two measurements and the interval that has its true value with some confidence.
struct ratio_estimate {
  double ratio = 1;
  double low = 0;
  double high = 0;
};

/// A statistic of a run, from the numbers of those of its intervals that are taken: one may be
/// taken several times.
using run_statistic = std::function<double(const std::vector<std::size_t>& taken)>;

/// Estimates `b` to `a`. The intervals of each run are drawn again, 1,000 times, in blocks, because
/// seconds that follow each other resemble each other; how much the logarithm of the ratio varies
/// then is its standard error (Efron 1979; Kuensch 1989 for the blocks). The interval is that of
/// Student's t, because there may be few intervals. `confidence`: 0 to 1. The same seed gives the
/// same estimate. Both statistics are above 0 for all intervals together; 0 where draws have
/// nothing leaves the draw out.
ratio_estimate estimate_ratio(const run_statistic& a, std::size_t intervals_of_a,
                              const run_statistic& b, std::size_t intervals_of_b, double confidence,
                              std::uint64_t seed);

/// The value that a normal variable does not exceed with that probability (0 to 1, exclusive).
double normal_quantile(double probability);
/// The same of Student's t, for at least 3 degrees of freedom (Cornish and Fisher 1937).
double student_quantile(double probability, double degrees);

} // namespace matchcloud::load
