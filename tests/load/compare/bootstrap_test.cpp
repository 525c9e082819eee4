#include "load/compare.hpp"

#include "tests/catch.hpp"

#include <cmath>
#include <random>

namespace matchcloud::load {
namespace {

TEST_CASE("quantiles are those of the tables", "[load]") {
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-9));
  CHECK(normal_quantile(0.975) == Approx(1.959964).epsilon(1e-6));
  CHECK(normal_quantile(0.001) == Approx(-3.090232).epsilon(1e-6));
  CHECK(student_quantile(0.975, 8) == Approx(2.306).epsilon(0.002));
  CHECK(student_quantile(0.975, 30) == Approx(2.0423).epsilon(0.0005));
  CHECK(student_quantile(0.995, 10) == Approx(3.1693).epsilon(0.003));
}

/// The mean of some numbers.
run_statistic mean_of(const std::vector<double>& numbers) {
  return [&numbers](const std::vector<std::size_t>& taken) {
    double sum = 0;
    for (const auto i : taken)
      sum += numbers[i];
    return sum / static_cast<double>(taken.size());
  };
}

/// Numbers around `middle`, each like the one before it by `memory` (0 to 1).
std::vector<double> noisy(double middle, std::size_t count, double memory,
                          std::mt19937_64& engine) {
  std::normal_distribution<double> noise{0, 0.1};
  std::vector<double> made;
  double deviation = noise(engine);
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(middle * std::exp(deviation));
    deviation = memory * deviation + std::sqrt(1 - memory * memory) * noise(engine);
  }
  return made;
}

/// How often, in percent, an interval of 95 % has the true ratio.
double coverage(std::size_t count_of_a, std::size_t count_of_b, double memory) {
  constexpr int runs = 500;
  constexpr double ratio = 1.2;
  int covered = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    std::mt19937_64 engine{static_cast<std::uint64_t>(seed)};
    const auto a = noisy(100, count_of_a, memory, engine);
    const auto b = noisy(100 * ratio, count_of_b, memory, engine);
    const auto found = estimate_ratio(mean_of(a), a.size(), mean_of(b), b.size(), 0.95,
                                      static_cast<std::uint64_t>(seed));
    covered += found.low <= ratio && ratio <= found.high ? 1 : 0;
  }
  return 100.0 * covered / runs;
}

TEST_CASE("an interval of 95 % has the true ratio in 95 % of the cases", "[load]") {
  // The standard error of 500 cases is 1 %.
  for (const auto& [a, b] : {std::pair{10, 10}, std::pair{30, 30}, std::pair{60, 12}}) {
    CAPTURE(a, b);
    const double found = coverage(static_cast<std::size_t>(a), static_cast<std::size_t>(b), 0);
    CHECK(found >= 92);
    CHECK(found <= 99);
  }
}

TEST_CASE("intervals that resemble each other do not make it narrower than it is", "[load]") {
  CHECK(coverage(60, 60, 0.5) >= 88);
}

TEST_CASE("the same seed gives the same estimate", "[load]") {
  std::mt19937_64 engine{1};
  const auto a = noisy(100, 20, 0, engine);
  const auto b = noisy(90, 20, 0, engine);
  const auto once = estimate_ratio(mean_of(a), 20, mean_of(b), 20, 0.95, 7);
  const auto again = estimate_ratio(mean_of(a), 20, mean_of(b), 20, 0.95, 7);
  CHECK(once.low == again.low);
  CHECK(once.high == again.high);
  CHECK(once.low < once.ratio);
  CHECK(once.ratio < once.high);
}

} // namespace
} // namespace matchcloud::load
