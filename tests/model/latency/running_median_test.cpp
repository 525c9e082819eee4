#include "model/latency/running_median.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <rapidcheck.h>
#include <vector>

namespace {

using matchcloud::model::running_median;

running_median of(const std::vector<double>& values) {
  running_median made;
  for (const auto each : values)
    made.add(each, 1);
  return made;
}

TEST_CASE("A running median of few values is exact") {
  CHECK(running_median{}.median() == 0);
  CHECK(running_median{}.empty());
  CHECK(of({20}).median() == Approx(20).epsilon(0.001));
  CHECK(of({300, 20, 21}).median() == Approx(21).epsilon(0.001));
  CHECK(of({10, 1, 400, 11, 12}).median() == Approx(11).epsilon(0.001));
  CHECK(of({5, 4, 3, 2, 1, 6, 7}).median() == Approx(4).epsilon(0.001));
}

TEST_CASE("A running median of many values is near the exact one") {
  REQUIRE(rc::check("lognormal values with outliers", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    const auto count = *rc::gen::inRange<std::size_t>(3, 150);
    std::lognormal_distribution<double> usual{3.5, 0.15};
    std::uniform_real_distribution<double> outlier{1, 400};
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(i % 10 == 9 ? outlier(random) : usual(random));
    const auto made = of(values);
    std::sort(values.begin(), values.end());
    // Between the exact quantiles around the median: twice the error that the sample itself has.
    const auto apart = 1 / std::sqrt(static_cast<double>(count));
    const auto at = [&](double share) {
      const auto last = static_cast<double>(count - 1);
      return values[static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last))];
    };
    RC_ASSERT(made.median() >= at(0.5 - apart) * 0.999);
    RC_ASSERT(made.median() <= at(0.5 + apart) * 1.001);
    RC_ASSERT(std::abs(made.weight() - static_cast<double>(count)) < 0.5);
  }));
}

TEST_CASE("The middle of a running median is not moved by a fifth of liars") {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i)
    values.push_back(i % 5 == 0 ? 390 : 30 + i % 3);
  CHECK(of(values).middle() > 29);
  CHECK(of(values).middle() < 34);
  CHECK(of(values).median() > 29);
  CHECK(of(values).median() < 34);
}

TEST_CASE("The spread is the relative deviation of the middle") {
  std::mt19937_64 random{7};
  std::lognormal_distribution<double> noise{3, 0.15};
  running_median made;
  for (int i = 0; i < 150; ++i)
    made.add(noise(random), 1);
  CHECK(made.spread() > 0.09);
  CHECK(made.spread() < 0.25);
  CHECK(of({20}).spread() == 0);
}

TEST_CASE("Values and weights are bounded") {
  running_median made;
  for (int i = 0; i < 100'000; ++i)
    made.add(i % 2 == 0 ? 1e-9 : 1e12, 1);
  CHECK(made.weight() <= running_median::weight_limit);
  CHECK(made.median() >= running_median::lowest);
  CHECK(made.median() <= running_median::highest * 1.001);
  const auto before = made.weight();
  made.add(5, 0);
  made.add(5, -1);
  made.add(5, std::nan(""));
  CHECK(made.weight() == before);
}

TEST_CASE("What is newer outweighs what has faded") {
  running_median made;
  for (int i = 0; i < 20; ++i)
    made.add(100, 1);
  made.fade(0.1);
  CHECK(made.weight() == Approx(2).margin(0.02));
  for (int i = 0; i < 5; ++i)
    made.add(50, 1);
  CHECK(made.median() == Approx(50).epsilon(0.1));
  made.fade(0);
  CHECK(made.empty());
}

} // namespace
