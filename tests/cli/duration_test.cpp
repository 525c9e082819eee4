#include "cli/duration.hpp"

#include "tests/catch.hpp"

namespace matchcloud::cli {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a duration is a whole number with a unit, or 0") {
  CHECK(parse_whole_duration("0") == 0ms);
  CHECK(parse_whole_duration("0d") == 0ms);
  CHECK(parse_whole_duration("1s") == 1s);
  CHECK(parse_whole_duration("30m") == 30min);
  CHECK(parse_whole_duration("12h") == 12h);
  CHECK(parse_whole_duration("90d") == 90 * 24h);
}

TEST_CASE("a duration is bounded in every unit") {
  CHECK(parse_whole_duration("36500d") == duration_limit);
  CHECK(parse_whole_duration("876000h") == duration_limit);
  CHECK(parse_whole_duration("3153600000s") == duration_limit);
  for (const auto* text : {"36501d", "876001h", "3153600001s", "4294967295d", "4294967296s"})
    CHECK_FALSE(parse_whole_duration(text));
}

TEST_CASE("anything else is no duration") {
  for (const auto* text : {"", "1", "d", "-1d", "+1d", "1.5h", "1 d", " 1d", "1d ", "1D", "1w",
                           "1h30m", "1ms", "00", "2027-01-01T00:00:00Z"})
    CHECK_FALSE(parse_whole_duration(text));
}

} // namespace
} // namespace matchcloud::cli
