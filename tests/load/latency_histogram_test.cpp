#include "load/latency.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace matchcloud::load {
namespace {

/// A percentile by its definition (nearest rank).
std::uint64_t ranked(std::vector<std::uint64_t> sorted, double percent) {
  std::ranges::sort(sorted);
  const auto rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

TEST_CASE("percentiles are those of the sorted values, to a thousandth", "[load]") {
  REQUIRE(rc::check([] {
    auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint64_t>>(
        rc::gen::mapcat(rc::gen::inRange(0, 40), [](int bits) {
          return rc::gen::inRange<std::uint64_t>(0, (std::uint64_t{1} << bits) + 1);
        })));
    for (auto& value : values)
      value = std::min(value, latency_histogram::highest_ns);
    latency_histogram one;
    latency_histogram other;
    for (std::size_t i = 0; i < values.size(); ++i)
      (i % 2 == 0 ? one : other).record(values[i]);
    one.add(other);
    RC_ASSERT(one.count() == values.size());
    RC_ASSERT(one.max_ns() == *std::ranges::max_element(values));
    for (const double percent : {0.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
      const auto exact = ranked(values, percent);
      const auto found = one.percentile_ns(percent);
      RC_ASSERT(found >= exact);
      RC_ASSERT(static_cast<double>(found - exact) <= static_cast<double>(exact) / 1'000);
    }
  }));
}

TEST_CASE("99.9 % of 1,000 are 999", "[load]") {
  latency_histogram of;
  for (int i = 0; i < 999; ++i)
    of.record(1'000);
  of.record(1'000'000);
  CHECK(of.percentile_ns(99.9) == 1'000);
  CHECK(of.percentile_ns(99.91) == 1'000'000);
}

TEST_CASE("an empty histogram says nothing, and a cleared one is empty", "[load]") {
  latency_histogram of;
  CHECK(of.percentile_ns(99) == 0);
  CHECK(of.mean_ns() == 0);
  of.record(5'000);
  of.record(7'000);
  CHECK(of.mean_ns() == 6'000);
  REQUIRE(of.steps().size() == 2);
  CHECK(of.steps().back().total == 2);
  of.clear();
  CHECK(of.count() == 0);
  CHECK(of.max_ns() == 0);
  CHECK(of.steps().empty());
}

TEST_CASE("what is longer than can be told apart counts as the longest", "[load]") {
  latency_histogram of;
  of.record(~std::uint64_t{0});
  CHECK(of.max_ns() == latency_histogram::highest_ns);
  CHECK(of.percentile_ns(50) == latency_histogram::highest_ns);
}

} // namespace
} // namespace matchcloud::load
