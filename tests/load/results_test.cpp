#include "load/assertion.hpp"

#include "base/failure.hpp"
#include "load/latency.hpp"
#include "load/results.hpp"
#include "load/text.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace matchcloud::load {
namespace {

/// Results with 100 replies of 1 to 100 ms, two of them with status 503, and one error.
results sample() {
  results made;
  made.seconds = 2;
  for (std::uint64_t ms = 1; ms <= 100; ++ms)
    made.all.latency.record(ms * 1'000'000);
  made.all.sent = 101;
  made.all.answered = 100;
  made.all.by_status = {{200, 98}, {503, 2}};
  made.all.fail(failure::timeout, "no reply");
  return made;
}

bool hold(std::string_view text) {
  const auto read = base::attempt([&] { return parse_assertions(text); });
  REQUIRE(read);
  const auto of = sample();
  return std::ranges::all_of(*read, [&of](const auto& each) { return holds(each, of); });
}

TEST_CASE("assertions compare what was measured", "[load]") {
  CHECK(hold("p50<51ms"));
  CHECK_FALSE(hold("p50<50ms"));
  CHECK(hold("p99<=99.2ms,max=100ms, mean > 50ms"));
  CHECK(hold("p99.9>99ms,p0<=1.01ms"));
  CHECK(hold("errors=1,timeout==1,connect=0,late=0"));
  CHECK_FALSE(hold("p50<51ms,errors=0"));
  CHECK(hold("sent=101,answered!=101,rate>=50"));
  CHECK(hold("status.503=2,status.404=0"));
  CHECK_FALSE(hold("status.503<2"));
}

TEST_CASE("a promise about latency is broken by errors, unless it is about them", "[load]") {
  const auto implied = [](std::string_view text) {
    auto all = parse_assertions(text);
    const auto count = all.size();
    imply_no_errors(all);
    return all.size() > count;
  };
  CHECK(implied("p99<5ms"));
  CHECK(implied("max<5ms,sent>1"));
  for (const auto* const said :
       {"p99<5ms,errors<3", "p99<5ms,status.429>=0", "p99<5ms,timeout=0", "sent>1"})
    CHECK_FALSE(implied(said));
  auto refused = sample();
  refused.all.by_status[429] = 7;
  CHECK(explain(parse_assertions("errors=0").front(), refused) ==
        "errors=0: 1, 7 with status 429, 2 with status 503");
}

TEST_CASE("without measurements no assertion about a latency holds", "[load]") {
  const auto read = base::attempt([&] { return parse_assertions("p99<1s"); });
  REQUIRE(read);
  CHECK_FALSE(holds(read->front(), results{}));
}

TEST_CASE("an assertion that cannot be read says what can be written", "[load]") {
  for (const auto* wrong :
       {"", "p99", "p99<", "p99<5", "p99<fast", "p101<1ms", "speed>3", "errors=none", "errors<5ms",
        "p99!5ms", "p99<1ms,", "status.x=1", "errors<nan", "errors<inf"}) {
    CAPTURE(wrong);
    const auto read = base::attempt([&] { return parse_assertions(wrong); });
    REQUIRE_FALSE(read);
    CHECK(read.error().code == base::errc::config_invalid);
  }
  CHECK(base::attempt([&] { return parse_assertions("p99<5"); }).error().detail ==
        "\"p99<5\": is not compared with a duration. Use one such as 5ms or 800us.");
}

TEST_CASE("durations have units", "[load]") {
  using namespace std::chrono_literals;
  CHECK(parse_duration("10") == 10s);
  CHECK(parse_duration("1.5s") == 1'500ms);
  CHECK(parse_duration("250ms") == 250ms);
  CHECK(parse_duration("50us") == 50us);
  CHECK(parse_duration("7ns") == 7ns);
  CHECK(parse_duration("2m") == 2min);
  CHECK(parse_duration("1h") == 1h);
  for (const auto* wrong : {"", "s", "-1s", "25h", "1d", "1 s", "nan", "inf", "86401s", "1e99s"})
    CHECK_FALSE(parse_duration(wrong));
}

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

TEST_CASE("a latency above the highest counts as the highest", "[load]") {
  latency_histogram of;
  of.record(~std::uint64_t{0});
  CHECK(of.max_ns() == latency_histogram::highest_ns);
  CHECK(of.percentile_ns(50) == latency_histogram::highest_ns);
}

} // namespace
} // namespace matchcloud::load
