#include "model/text/exact_integer.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <limits>
#include <string>

using namespace std::string_literals;
using matchcloud::model::exact_integer;
using matchcloud::model::read_integer;

namespace {

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
const exact_integer beyond{false, largest, true};

} // namespace

TEST_CASE("integers are decided on the decimal text") {
  REQUIRE(read_integer("0") == exact_integer{});
  REQUIRE(read_integer("-0") == exact_integer{});
  REQUIRE(read_integer("-0.000e999999999999999999999") == exact_integer{});
  REQUIRE(read_integer("1.0") == exact_integer{false, 1, false});
  REQUIRE(read_integer("1e3") == exact_integer{false, 1'000, false});
  REQUIRE(read_integer("1E+03") == exact_integer{false, 1'000, false});
  REQUIRE(read_integer("0.1e1") == exact_integer{false, 1, false});
  REQUIRE(read_integer("12.50e1") == exact_integer{false, 125, false});
  REQUIRE(read_integer("1200e-2") == exact_integer{false, 12, false});
  REQUIRE(read_integer("0.0012e4") == exact_integer{false, 12, false});
  REQUIRE(read_integer("-9223372036854775808") ==
          exact_integer{true, std::uint64_t{1} << 63, false});
  REQUIRE(read_integer("18446744073709551615") == exact_integer{false, largest, false});
  REQUIRE(read_integer("1.8446744073709551615e19") == exact_integer{false, largest, false});
}

TEST_CASE("a number with a fraction is no integer") {
  for (const auto* text : {"12.5", "1e-1", "0.1", "1.25e1", "5e-99999999999999999999",
                           "18446744073709551615.5", "100000000000000000000000000000.1"})
    REQUIRE_FALSE(read_integer(text).has_value());
}

TEST_CASE("a number beyond 64 bits is too large, not rounded") {
  for (const auto* text : {"18446744073709551616", "1e20", "1e400", "1e99999999999999999999",
                           "184467440737095516150", "2e19"})
    REQUIRE(read_integer(text) == beyond);
  REQUIRE(read_integer(std::string(500, '9')) == beyond);
  REQUIRE(read_integer("-1e20") == exact_integer{true, largest, true});
}

TEST_CASE("property: shifting the point and the exponent leaves the value") {
  REQUIRE(rc::check([](std::uint64_t value) {
    const auto digits = std::to_string(value);
    const auto shift = *rc::gen::inRange<std::size_t>(0, 30);
    const exact_integer expected{false, value, false};
    RC_ASSERT(read_integer(digits) == expected);
    RC_ASSERT(read_integer(digits + "." + std::string(shift, '0')) == expected || shift == 0);
    RC_ASSERT(read_integer(digits + std::string(shift, '0') + "e-" + std::to_string(shift)) ==
              expected);
    RC_ASSERT(read_integer("0." + std::string(shift, '0') + digits + "e" +
                           std::to_string(shift + digits.size())) == expected);
  }));
}
