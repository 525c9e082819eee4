#include "load/arrivals.hpp"

#include "base/failure.hpp"
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

rate_stage stage(double from, double to, std::chrono::nanoseconds length) {
  return {"", from, to, length};
}

TEST_CASE("stages have as many requests as the area below their rates", "[load]") {
  const auto kind = GENERATE(arrival_kind::constant, arrival_kind::poisson);
  arrivals::shape of{kind, 0, 0ns};
  of.stages = {stage(10'000, 10'000, 1s), stage(10'000, 30'000, 1s), stage(0, 0, 1s),
               stage(50'000, 50'000, 200ms), stage(20'000, 0, 2s)};
  const auto times = seconds_of(arrivals{of, 0.5, 5}, 61'500);
  const auto between = [&times](double from, double to) {
    return std::ranges::count_if(times, [=](double at) { return at >= from && at < to; });
  };
  REQUIRE(std::ranges::is_sorted(times));
  const double noise = kind == arrival_kind::constant ? 0.001 : 0.04;
  CHECK(between(0, 1) == Approx(10'000).epsilon(noise));
  CHECK(between(1, 1.5) == Approx(7'500).epsilon(noise));
  CHECK(between(1.5, 2) == Approx(12'500).epsilon(noise));
  CHECK(between(2, 3) == 0);
  CHECK(between(3, 3.2) == Approx(10'000).epsilon(noise));
  CHECK(between(3.2, 4.2) == Approx(15'000).epsilon(noise));
  CHECK(between(4.2, 5.2) == Approx(5'000).epsilon(noise));
  // The last stage ends with the rate 0: no request follows.
  CHECK(std::ranges::count_if(times, [](double at) { return at >= 5.2 && at < 1e6; }) == 0);
  CHECK(times.back() == std::chrono::duration<double>{arrivals::never}.count());
}

TEST_CASE("the rate of the last stage stays, and all rates can be shared among threads", "[load]") {
  arrivals::shape of{arrival_kind::constant, 0, 0ns};
  of.stages = {stage(1'000, 2'000, 1s)};
  auto half = arrivals{of.times(0.5), 0, 1};
  std::chrono::nanoseconds last{0};
  for (int i = 0; i < 751; ++i)
    last = half.next();
  CHECK(std::chrono::abs(last - 1s) < 10ns);
  CHECK(std::chrono::abs(half.next() - 1'001ms) < 10ns);
}

TEST_CASE("a rate near nothing has its next request never, not at a time that overflows",
          "[load]") {
  for (const auto kind : {arrival_kind::constant, arrival_kind::poisson}) {
    arrivals::shape of{kind, 0, 0ns};
    of.stages = {stage(1e-12, 1e-12, 1s)};
    arrivals rare{of, 0, 1};
    for (int i = 0; i < 3; ++i)
      CHECK(rare.next() >= 0ns);
    CHECK(rare.next() == arrivals::never);
  }
}

TEST_CASE("given times are those at which requests are due, and then nothing is", "[load]") {
  arrivals some{std::vector<std::chrono::nanoseconds>{0ns, 5ms, 5ms}};
  CHECK(some.next() == 0ns);
  CHECK(some.next() == 5ms);
  CHECK(some.next() == 5ms);
  CHECK(some.next() == arrivals::never);
  CHECK(some.next() == arrivals::never);
  arrivals none{std::vector<std::chrono::nanoseconds>{}};
  CHECK(none.next() == arrivals::never);
}

std::string why_not(const std::string& text) {
  const auto read = base::attempt([&] { return read_stages(text); });
  REQUIRE_FALSE(read);
  return read.error().detail;
}

void check_is(const rate_stage& stage, double from, double to, std::chrono::nanoseconds length) {
  CHECK(stage.from == from);
  CHECK(stage.to == to);
  CHECK(stage.length == length);
}

TEST_CASE("stages are steps, ramps, spikes and pauses", "[load]") {
  const auto read = base::attempt(
      [&] { return read_stages("1k:10s, 1k..5k:500ms,0:1m\n the end = 0.02M .. 7 : 2s "); });
  REQUIRE(read);
  REQUIRE(read->size() == 4);
  check_is((*read)[0], 1'000, 1'000, 10s);
  check_is((*read)[1], 1'000, 5'000, 500ms);
  check_is((*read)[2], 0, 0, 1min);
  check_is((*read)[3], 20'000, 7, 2s);
  CHECK((*read)[1].name == "1k..5k:500ms");
  CHECK((*read)[3].name == "the end");
  CHECK(length_of(*read) == 72'500ms);
  CHECK(peak_of(*read) == 20'000);
}

TEST_CASE("wrong stages are named, with what to write", "[load]") {
  CHECK(why_not(":") == "\":\" does not begin with a rate from 0 to 10M. Write RATE:DURATION or "
                        "FROM..TO:DURATION, such as 5k:30s, 1k..5k:30s or spike=9k:5s.");
  CHECK(why_not("1k:10s,5k:soon")
            .starts_with("\"5k:soon\" does not end with a duration greater than 0."));
  CHECK(why_not("1k:0s").starts_with("\"1k:0s\" does not end with a duration greater than 0."));
  CHECK(why_not("11M:1s").starts_with("\"11M:1s\" does not begin with a rate"));
  CHECK(why_not("-1:1s").starts_with("\"-1:1s\" does not begin with a rate"));
  CHECK(why_not("1..:1s").starts_with("\"1..:1s\" does not begin with a rate"));
  CHECK(why_not("5:1s,5k").starts_with("\"5k\" has no duration."));
  CHECK(why_not("spike=5k").starts_with("\"spike=5k\" has no duration."));
  CHECK(why_not("").starts_with("there are no stages."));
  CHECK(why_not("0:1s").starts_with("all stages have the rate 0."));
  CHECK(why_not("1:20h,1:20h").starts_with("the stages take more than a day"));
  std::string many;
  for (int i = 0; i < 65; ++i)
    many += "1:1s,";
  CHECK(why_not(many) == "there are 65 stages. At most 64 are allowed.");
}

} // namespace
} // namespace matchcloud::load
