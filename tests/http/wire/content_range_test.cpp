#include "http/wire/conditional.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace matchcloud::http {
namespace {

using kind = range_choice::kind;

/// The chosen range as `offset+length`, `whole` or `416`.
std::string chosen(std::string_view value, std::uint64_t size_bytes = 1'000) {
  const auto choice = choose_range(value, size_bytes);
  switch (choice.what) {
  case kind::whole: return "whole";
  case kind::unsatisfiable: return "416";
  case kind::part:
    return std::to_string(choice.bytes.offset) + "+" + std::to_string(choice.bytes.length);
  }
  return {};
}

TEST_CASE("one range of bytes is a part, cut at the end") {
  CHECK(chosen("bytes=0-0") == "0+1");
  CHECK(chosen("bytes=0-999") == "0+1000");
  CHECK(chosen("bytes=10-19") == "10+10");
  CHECK(chosen("bytes=990-") == "990+10");
  CHECK(chosen("bytes=990-2000") == "990+10");
  CHECK(chosen("bytes=999-999") == "999+1");
  CHECK(chosen("bytes=-1") == "999+1");
  CHECK(chosen("bytes=-1000") == "0+1000");
  CHECK(chosen("bytes=-5000") == "0+1000");
}

TEST_CASE("units, blanks, leading zeros and empty elements are read as RFC 9110 has them") {
  CHECK(chosen("BYTES=1-2") == "1+2");
  CHECK(chosen("bytes= 1-2 ") == "1+2");
  CHECK(chosen("bytes=,\t1-2,, ") == "1+2");
  CHECK(chosen("bytes=0001-0002") == "1+2");
}

TEST_CASE("numbers beyond 64 bits are only large") {
  CHECK(chosen("bytes=5-99999999999999999999999999999999") == "5+995");
  CHECK(chosen("bytes=-99999999999999999999999999999999") == "0+1000");
  CHECK(chosen("bytes=99999999999999999999999999999999-") == "416");
  CHECK(chosen("bytes=18446744073709551615-18446744073709551615", UINT64_MAX) == "416");
  CHECK(chosen("bytes=0-18446744073709551615", UINT64_MAX) == "0+18446744073709551615");
}

TEST_CASE("what begins behind the end, or asks for no bytes, is unsatisfiable") {
  for (const auto* value : {"bytes=1000-", "bytes=1000-1000", "bytes=5000-", "bytes=-0"})
    CHECK(chosen(value) == "416");
  for (const auto* value : {"bytes=0-", "bytes=0-0", "bytes=-5"})
    CHECK(chosen(value, 0) == "416");
}

TEST_CASE("several ranges, other units and malformed ones get the whole") {
  for (const auto* value :
       {"bytes=0-1,5-6", "bytes=5000-,6000-", "bytes=0-1,x", "",           "bytes",
        "bytes=",        "bytes=,",           "bytes=-",     "bytes=x-",   "bytes=1",
        "bytes=2-1",     "bytes=1-2-3",       "bytes=1 -2",  "bytes=+1-2", "bytes=--1",
        "bytes=0x1-2",   "bytes:1-2",         " bytes=1-2",  "bytes =1-2", "lines=1-2",
        "=1-2",          "bytes=1-\xb2"}) {
    CAPTURE(value);
    CHECK(chosen(value) == "whole");
  }
}

TEST_CASE("Content-Range names first and last byte and the size") {
  CHECK(content_range({0, 1}, 1'000) == "bytes 0-0/1000");
  CHECK(content_range({990, 10}, 1'000) == "bytes 990-999/1000");
  CHECK(unsatisfied_range(1'000) == "bytes */1000");
}

void check_inside(std::string_view value, std::uint64_t size_bytes) {
  const auto choice = choose_range(value, size_bytes);
  if (choice.what != kind::part) return;
  RC_ASSERT(choice.bytes.length > 0);
  RC_ASSERT(choice.bytes.offset < size_bytes);
  RC_ASSERT(choice.bytes.length <= size_bytes - choice.bytes.offset);
}

TEST_CASE("a part is never empty and always inside the representation") {
  REQUIRE(rc::check([](std::uint64_t first, std::uint64_t last, std::uint64_t size_bytes) {
    const auto from = std::to_string(first);
    const auto to = std::to_string(last);
    for (const auto& value : {from + "-" + to, from + "-", "-" + to})
      check_inside("bytes=" + value, size_bytes);
  }));
  REQUIRE(rc::check([] {
    const auto piece = rc::gen::elementOf(
        std::vector<std::string>{"bytes", "=", "-", ",", " ", "0", "1", "99", "\t", "x",
                                 "18446744073709551615", "18446744073709551616"});
    std::string value = *rc::gen::elementOf(std::vector<std::string>{"bytes=", ""});
    for (const auto& text : *rc::gen::container<std::vector<std::string>>(piece))
      value += text;
    check_inside(value, *rc::gen::elementOf(std::vector<std::uint64_t>{0, 1, 2, 100, UINT64_MAX}));
  }));
  REQUIRE(rc::check([](const std::string& noise, std::uint64_t size_bytes) {
    check_inside(noise, size_bytes);
    check_inside("bytes=" + noise, size_bytes);
  }));
}

TEST_CASE("a range that asks for bytes that are there gets exactly them") {
  REQUIRE(rc::check([] {
    const auto size_bytes = *rc::gen::inRange<std::uint64_t>(1, 10'000);
    const auto first = *rc::gen::inRange<std::uint64_t>(0, size_bytes);
    const auto last = *rc::gen::inRange<std::uint64_t>(first, size_bytes);
    const auto choice =
        choose_range("bytes=" + std::to_string(first) + "-" + std::to_string(last), size_bytes);
    RC_ASSERT(choice.what == kind::part);
    RC_ASSERT(choice.bytes == (byte_range{first, last - first + 1}));
  }));
}

} // namespace
} // namespace matchcloud::http
