#include "base/hexadecimal.hpp"

#include "tests/catch.hpp"

#include <cstdio>
#include <rapidcheck.h>

namespace matchcloud::base {
namespace {

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
