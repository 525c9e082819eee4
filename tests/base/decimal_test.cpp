#include "base/decimal.hpp"

#include "base/hexadecimal.hpp"

#include "tests/catch.hpp"

#include <cstdint>
#include <cstdio>
#include <rapidcheck.h>

namespace matchcloud::base {
namespace {

TEST_CASE("decimal digits are a number, up to the last that fits") {
  CHECK(parse_decimal<std::uint64_t>("0") == 0);
  CHECK(parse_decimal<std::uint64_t>("007") == 7);
  CHECK(parse_decimal<std::uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK(parse_decimal<std::uint16_t>("65535") == 65'535);
  CHECK(parse_decimal<std::int64_t>("-5") == -5);
}

TEST_CASE("anything but digits, and what does not fit, is no number") {
  for (const auto* text :
       {"", " 1", "1 ", "+1", "-1", "1x", "4x", "0x1", "1.0", "1e3", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK(!parse_decimal<std::uint64_t>(text));
  }
  CHECK(!parse_decimal<std::uint16_t>("65536"));
}

TEST_CASE("A number has the 16 digits that printf gives it") {
  REQUIRE(rc::check("like printf", [] {
    const auto number = *rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0U, 64U);
    char expected[17];
    std::snprintf(expected, sizeof expected, "%016llx", static_cast<unsigned long long>(number));
    const auto digits = hexadecimal_of(number);
    RC_ASSERT(std::string(digits.begin(), digits.end()) == expected);
  }));
}

TEST_CASE("Bytes have two digits each, appended to what is there") {
  std::string text = "id ";
  append_hexadecimal(text, std::array<std::uint8_t, 3>{0x00, 0xAB, 0xFF});
  CHECK(text == "id 00abff");
}

} // namespace
} // namespace matchcloud::base
