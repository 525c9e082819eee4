#include "model/text/timestamp.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <ctime>
#include <string>

namespace {

using matchcloud::model::format_timestamp;
using matchcloud::model::has_misplaced_leap_second;
using matchcloud::model::parse_timestamp;
using matchcloud::model::parse_timestamp_ms;
using matchcloud::model::timestamp_limit_ms;

/// The text of a time, computed with the C library's calendar.
std::string by_c_library(std::int64_t ms) {
  const std::time_t seconds = ms / 1'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const auto fraction = std::to_string(1'000 + ms % 1'000).substr(1);
  return std::string{text, length} + "." + fraction + "Z";
}

} // namespace

TEST_CASE("times are read with any offset and case, and cut to milliseconds") {
  CHECK(parse_timestamp("1970-01-01T00:00:00Z") == 0);
  CHECK(parse_timestamp("1970-01-01t00:00:00.001z") == 1);
  CHECK(parse_timestamp("2026-01-31T23:59:59.999Z") == 1'769'903'999'999);
  CHECK(parse_timestamp("2026-01-31T23:59:59.9999999999999999999999Z") == 1'769'903'999'999);
  CHECK(parse_timestamp("2026-01-31T23:59:59.9Z") == 1'769'903'999'900);
  CHECK(parse_timestamp("2026-02-01T01:29:59.999+01:30") == 1'769'903'999'999);
  CHECK(parse_timestamp("1969-12-31T23:00:00-01:00") == 0);
  CHECK(parse_timestamp("2000-02-29T12:00:00-00:00") == 951'825'600'000);
  CHECK(parse_timestamp("9999-12-31T23:59:59.999Z") == timestamp_limit_ms);
}

TEST_CASE("second 60 is the next second, where UTC can have a leap second") {
  CHECK(parse_timestamp("2016-12-31T23:59:60Z") == parse_timestamp("2017-01-01T00:00:00Z"));
  CHECK(parse_timestamp("2016-12-31T23:59:60.5Z") == parse_timestamp("2017-01-01T00:00:00.5Z"));
  CHECK(parse_timestamp("2017-01-01T01:29:60+01:30") == parse_timestamp("2017-01-01T00:00:00Z"));
  CHECK(parse_timestamp("2016-02-29T23:59:60Z") == parse_timestamp("2016-03-01T00:00:00Z"));
  CHECK_FALSE(parse_timestamp("9999-12-31T23:59:60Z"));
  CHECK_FALSE(has_misplaced_leap_second("2016-12-31T23:59:60Z"));
}

TEST_CASE("second 60 anywhere else is no time") {
  for (const auto* text :
       {"2016-12-31T23:58:60Z", "2016-12-31T12:00:60Z", "2016-12-30T23:59:60Z",
        "2016-02-28T23:59:60Z", "2016-12-31T23:59:60+01:00", "2017-01-01T00:00:60Z"}) {
    INFO(text);
    CHECK_FALSE(parse_timestamp(text));
    CHECK(has_misplaced_leap_second(text));
  }
  for (const auto* text : {"2016-12-31T23:59:61Z", "2016-12-31T23:59:59Z", "", "x"})
    CHECK_FALSE(has_misplaced_leap_second(text));
}

TEST_CASE("texts that are no time of the years 1970 to 9999 are refused") {
  for (const auto* text : {"",
                           "2026",
                           "2026-01-31",
                           "2026-01-31T23:59:59",
                           "2026-01-31 23:59:59Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-02-30T00:00:00Z",
                           "2026-01-00T00:00:00Z",
                           "2025-02-29T00:00:00Z",
                           "2026-01-01T24:00:00Z",
                           "2026-01-01T00:60:00Z",
                           "2026-01-01T00:00:61Z",
                           "2026-01-01T00:00:00.Z",
                           "2026-01-01T00:00:00,5Z",
                           "2026-01-01T00:00:00ZZ",
                           "2026-01-01T00:00:00+24:00",
                           "2026-01-01T00:00:00+01:60",
                           "2026-01-01T00:00:00+0100",
                           "2026-01-01T00:00:00+01",
                           "1969-12-31T23:59:59.999Z",
                           "1970-01-01T00:00:00+00:01",
                           "9999-12-31T23:59:59-00:01",
                           "10000-01-01T00:00:00Z",
                           "0000-01-01T00:00:00Z",
                           " 2026-01-01T00:00:00Z",
                           "2026-01-01T00:00:0xZ",
                           "+026-01-01T00:00:00Z"}) {
    INFO(text);
    CHECK_FALSE(parse_timestamp(text));
  }
}

TEST_CASE("a number is a time where it is an integer of milliseconds in range") {
  CHECK(parse_timestamp_ms("0") == 0);
  CHECK(parse_timestamp_ms("-0") == 0);
  CHECK(parse_timestamp_ms("1e3") == 1'000);
  CHECK(parse_timestamp_ms("253402300799999") == timestamp_limit_ms);
  for (const auto* text : {"253402300800000", "-1", "0.5", "1e400", "18446744073709551616"})
    CHECK_FALSE(parse_timestamp_ms(text));
}

TEST_CASE("property: a formatted time is the calendar's, and read back it is the same") {
  REQUIRE(rc::check([] {
    const auto ms = *rc::gen::inRange<std::int64_t>(0, timestamp_limit_ms + 1);
    const auto text = format_timestamp(ms);
    RC_ASSERT(text == by_c_library(ms));
    RC_ASSERT(parse_timestamp(text) == ms);
  }));
}

TEST_CASE("property: an offset names the same instant") {
  REQUIRE(rc::check([] {
    const auto minutes = *rc::gen::inRange<std::int64_t>(-23 * 60 - 59, 23 * 60 + 60);
    const auto ms = *rc::gen::inRange<std::int64_t>(86'400'000, timestamp_limit_ms - 86'400'000);
    auto text = format_timestamp(ms + minutes * 60'000);
    const auto size = minutes < 0 ? -minutes : minutes;
    text.back() = minutes < 0 ? '-' : '+';
    text += std::to_string(100 + size / 60).substr(1) + ":";
    text += std::to_string(100 + size % 60).substr(1);
    RC_ASSERT(parse_timestamp(text) == ms);
  }));
}
