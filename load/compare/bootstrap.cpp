#include "load/compare/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace matchcloud::load {

namespace {

constexpr std::size_t draws = 1'000;

/// Grows as n^(1/3), the order that minimizes the error of the variance.
std::size_t block_length(std::size_t intervals) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(intervals)))));
}

/// Draws as many intervals as the run has, in blocks that wrap around at the end.
void draw(std::vector<std::size_t>& taken, std::size_t block, std::mt19937_64& engine) {
  std::uniform_int_distribution<std::size_t> begin{0, taken.size() - 1};
  for (std::size_t i = 0; i < taken.size(); i += block) {
    const auto first = begin(engine);
    for (std::size_t k = 0; k < block && i + k < taken.size(); ++k)
      taken[i + k] = (first + k) % taken.size();
  }
}

double blocks_in(std::size_t intervals) {
  return static_cast<double>(intervals) / static_cast<double>(block_length(intervals));
}

} // namespace

double normal_quantile(double probability) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

double student_quantile(double probability, double degrees) {
  const double z = normal_quantile(probability);
  const double z2 = z * z;
  const double n = std::max(degrees, 3.0);
  return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
         z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n);
}

ratio_estimate estimate_ratio(const run_statistic& a, std::size_t intervals_of_a,
                              const run_statistic& b, std::size_t intervals_of_b, double confidence,
                              std::uint64_t seed) {
  std::vector<std::size_t> of_a(intervals_of_a);
  std::vector<std::size_t> of_b(intervals_of_b);
  std::iota(of_a.begin(), of_a.end(), std::size_t{0});
  std::iota(of_b.begin(), of_b.end(), std::size_t{0});
  const double middle = std::log(b(of_b) / a(of_a));
  std::mt19937_64 engine{seed};
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    draw(of_a, block_length(intervals_of_a), engine);
    draw(of_b, block_length(intervals_of_b), engine);
    const double one = a(of_a);
    const double other = b(of_b);
    if (one <= 0 || other <= 0) continue;
    const double log_ratio = std::log(other / one);
    sum += log_ratio;
    squares += log_ratio * log_ratio;
    ++count;
  }
  const double mean = sum / std::max(1.0, count);
  const double variance = std::max(0.0, squares / std::max(1.0, count) - mean * mean);
  // A draw varies less than the measurement: by (n - 1) / n of its variance, with n blocks.
  const double blocks = std::min(blocks_in(intervals_of_a), blocks_in(intervals_of_b));
  const double error = std::sqrt(variance * blocks / std::max(1.0, blocks - 1));
  const double degrees = blocks_in(intervals_of_a) + blocks_in(intervals_of_b) - 2;
  const double wide = student_quantile((1 + confidence) / 2, degrees) * error;
  return {std::exp(middle), std::exp(middle - wide), std::exp(middle + wide)};
}

} // namespace matchcloud::load
