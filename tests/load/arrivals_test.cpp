#include "load/arrivals.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;

std::vector<double> seconds_of(arrivals which, std::size_t count) {
  std::vector<double> times(count);
  for (auto& time : times)
    time = std::chrono::duration<double>(which.next()).count();
  return times;
}

TEST_CASE("constant arrivals stand at equal distances", "[load]") {
  arrivals every{{arrival_kind::constant, 1'000, 0ns}, 0, 1};
  CHECK(every.next() == 0ns);
  CHECK(every.next() == 1ms);
  CHECK(every.next() == 2ms);
  arrivals later{{arrival_kind::constant, 1'000, 0ns}, 0.5, 1};
  CHECK(later.next() == 500us);
  CHECK(later.next() == 1'500us);
}

TEST_CASE("poisson arrivals are independent: their distances vary as much as they are long",
          "[load]") {
  constexpr std::size_t count = 100'000;
  const auto times = seconds_of(arrivals{{arrival_kind::poisson, 1'000, 0ns}, 0, 7}, count);
  CHECK(times.back() == Approx(count / 1'000.0).epsilon(0.02));
  double square = 0;
  for (std::size_t i = 1; i < count; ++i) {
    REQUIRE(times[i] >= times[i - 1]);
    square += std::pow((times[i] - times[i - 1]) * 1'000 - 1, 2);
  }
  // An exponential distribution has its mean as its standard deviation.
  CHECK(std::sqrt(square / count) == Approx(1).epsilon(0.03));
}

TEST_CASE("the same seed gives the same arrivals", "[load]") {
  const arrivals::shape of{arrival_kind::poisson, 50, 1s};
  CHECK(seconds_of(arrivals{of, 0, 3}, 100) == seconds_of(arrivals{of, 0, 3}, 100));
  CHECK(seconds_of(arrivals{of, 0, 3}, 100) != seconds_of(arrivals{of, 0, 4}, 100));
}

TEST_CASE("within a ramp the rate rises evenly, then it stays", "[load]") {
  const auto kind = GENERATE(arrival_kind::constant, arrival_kind::poisson);
  const auto times = seconds_of(arrivals{{kind, 10'000, 2s}, 0, 5}, 40'000);
  const auto between = [&times](double from, double to) {
    return std::ranges::count_if(times, [=](double at) { return at >= from && at < to; });
  };
  CHECK(between(0, 1) == Approx(2'500).epsilon(0.06));
  CHECK(between(1, 2) == Approx(7'500).epsilon(0.06));
  CHECK(between(2, 3) == Approx(10'000).epsilon(0.06));
  CHECK(between(3, 4) == Approx(10'000).epsilon(0.06));
}

} // namespace
} // namespace matchcloud::load
