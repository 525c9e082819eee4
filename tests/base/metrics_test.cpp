#include "base/metrics.hpp"

#include "tests/catch.hpp"

#include <algorithm>

namespace matchcloud::base {
namespace {

TEST_CASE("a duration falls into the first bucket whose bound it does not exceed") {
  using histogram = duration_histogram;
  REQUIRE(std::is_sorted(histogram::bounds_ns.begin(), histogram::bounds_ns.end()));
  for (std::size_t i = 0; i < histogram::bounds_ns.size(); ++i) {
    CAPTURE(i);
    histogram seen;
    seen.observe(histogram::bounds_ns[i]);
    CHECK(seen.bucket(i) == 1);
    seen.observe(histogram::bounds_ns[i] + 1);
    CHECK(seen.bucket(i) == 1);
    CHECK(seen.bucket(i + 1) == 1);
    CHECK(seen.sum_ns() == 2 * histogram::bounds_ns[i] + 1);
  }
}

TEST_CASE("the bucket beyond the last bound takes the rest") {
  duration_histogram seen;
  seen.observe(0);
  seen.observe(3'600'000'000'000);
  CHECK(seen.bucket(0) == 1);
  CHECK(seen.bucket(duration_histogram::bounds_ns.size()) == 1);
}

TEST_CASE("a counter grows, a gauge goes both ways") {
  counter grown;
  grown.add();
  grown.add(41);
  CHECK(grown.get() == 42);
  gauge level;
  level.add(5);
  level.add(-7);
  CHECK(level.get() == -2);
  level.set(9);
  CHECK(level.get() == 9);
}

} // namespace
} // namespace matchcloud::base
