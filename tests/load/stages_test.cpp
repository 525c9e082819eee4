#include "load/arrivals.hpp"

#include "base/failure.hpp"
#include "tests/catch.hpp"

namespace matchcloud::load {
namespace {

using namespace std::chrono_literals;

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
