#include "model/latency/running_median.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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

TEST_CASE("Merged running medians are as if all values had been added to one") {
  double sum = 0;
  constexpr std::uint64_t tries = 300;
  for (std::uint64_t seed = 0; seed < tries; ++seed) {
    std::mt19937_64 random{seed};
    const std::size_t count = 2 + random() % 178;
    std::lognormal_distribution<double> usual{3.5, 0.15};
    std::uniform_real_distribution<double> outlier{1, 400};
    running_median all;
    std::vector<running_median> parts(2 + random() % 4);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = i % 10 == 9 ? outlier(random) : usual(random);
      all.add(value, 1);
      parts[random() % parts.size()].add(value, 1);
    }
    running_median forwards;
    running_median backwards;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      forwards.merge(parts[i]);
      backwards.merge(parts[parts.size() - 1 - i]);
    }
    INFO(seed);
    const double apart = std::abs(std::log(forwards.middle() / all.middle()));
    const double by_order = std::abs(std::log(forwards.middle() / backwards.middle()));
    // Some of the error that the values' own middle has.
    const double allowed = 1.2 / std::sqrt(static_cast<double>(count)) + 0.005;
    CHECK(apart < allowed);
    CHECK(by_order < allowed);
    CHECK(forwards.weight() == Approx(all.weight()).margin(0.1));
    CHECK(backwards.weight() == Approx(all.weight()).margin(0.1));
    sum += apart + by_order;
  }
  CHECK(sum / (2 * tries) < 0.01);
}

TEST_CASE("Merging few values is exact") {
  auto into = of({10, 400, 11});
  into.merge(of({1, 12}));
  CHECK(into == of({10, 1, 400, 11, 12}));
  into.merge({});
  CHECK(into == of({10, 1, 400, 11, 12}));
  running_median empty;
  empty.merge(into);
  CHECK(empty == into);
}

TEST_CASE("Merging keeps the limit of the weight, and both give way alike") {
  running_median old;
  running_median added;
  for (int i = 0; i < 1'000; ++i) {
    old.add(20, 1);
    added.add(80, 1);
  }
  auto into = old;
  into.merge(added);
  CHECK(into.weight() <= running_median::weight_limit);
  CHECK(into.weight() == Approx(running_median::weight_limit).margin(0.1));
  CHECK(into.median() == Approx(40).epsilon(0.02));
  added.merge(old);
  CHECK(added == into);
  for (int i = 0; i < 1'000; ++i)
    into.merge(of({80}));
  CHECK(into.weight() <= running_median::weight_limit);
  CHECK(into.median() == Approx(80).epsilon(0.01));
}

TEST_CASE("A running median is written as bytes and read again") {
  REQUIRE(rc::check("any values", [] {
    running_median made;
    for (const auto each : *rc::gen::container<std::vector<std::uint32_t>>(
             rc::gen::inRange<std::uint32_t>(0, 1U << 31U)))
      made.add(each / 1'000.0, 1.0 + each % 256 / 256.0);
    made.fade(*rc::gen::inRange(0, 1'000) / 1'000.0);
    RC_ASSERT(running_median::from_bytes(made.bytes()) == made);
  }));
  CHECK(of({0.05}).bytes() == std::array<std::uint8_t, 28>{0, 0, 0, 1});
}

TEST_CASE("Bytes that are no running median are refused") {
  using bytes = std::array<std::uint8_t, running_median::byte_count>;
  const auto is_read = [](const bytes& all) { return running_median::from_bytes(all).has_value(); };
  CHECK(is_read({}));
  CHECK(is_read({1, 2, 1, 0, 1, 2, 1, 0}));
  CHECK_FALSE(is_read({1, 2, 1, 0, 0, 2, 1, 0})); // unsorted
  CHECK_FALSE(is_read({0, 0, 0, 0, 1, 2, 1, 0})); // weight after an empty point
  CHECK_FALSE(is_read({1, 2, 1, 0, 5, 0, 0, 0})); // a value without weight
  CHECK_FALSE(is_read({255, 255, 1, 0}));         // above `highest`
  CHECK(is_read({1, 2, 0, 200}));
  CHECK_FALSE(is_read({1, 2, 1, 200})); // more than `weight_limit`
  CHECK_FALSE(running_median::from_bytes(std::array<std::uint8_t, 27>{}));
  CHECK_FALSE(running_median::from_bytes({}));
}

} // namespace
