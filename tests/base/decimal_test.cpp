#include "base/decimal.hpp"

#include "tests/catch.hpp"

#include <cstdint>

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

} // namespace
} // namespace matchcloud::base
