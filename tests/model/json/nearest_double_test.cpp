#include "model/json/json_number.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <rapidcheck.h>
#include <string>

namespace {

using namespace matchcloud::model;
using matchcloud::fixtures::parse_exactly;

/// The same bits, so that -0 is not 0.
bool same(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

std::string digits(int from, int to) {
  const auto count = *rc::gen::inRange(from, to);
  // Runs of zeros are what converters take short cuts for.
  const auto zeros = *rc::gen::inRange(0, count + 1);
  std::string text(static_cast<std::size_t>(zeros), '0');
  for (int i = zeros; i < count; ++i)
    text.push_back(*rc::gen::inRange('0', static_cast<char>('9' + 1)));
  return text;
}

std::string any_number() {
  std::string text = *rc::gen::elementOf(std::vector<std::string>{"", "-"});
  text += *rc::gen::arbitrary<bool>() ? "0" : "7" + digits(0, 290);
  if (*rc::gen::arbitrary<bool>()) text += "." + digits(1, 800);
  if (*rc::gen::arbitrary<bool>())
    text += *rc::gen::elementOf(std::vector<std::string>{"e", "E", "e+", "e-"}) +
            std::to_string(*rc::gen::inRange(0, 700));
  return text;
}

TEST_CASE("a number becomes the double that the C library reads") {
  REQUIRE(rc::check("like strtod", [] {
    const auto text = any_number();
    const auto expected = std::strtod(text.c_str(), nullptr);
    const auto value = nearest_double(text);
    RC_ASSERT(value.has_value() == std::isfinite(expected));
    if (value) RC_ASSERT(same(*value, expected));
  }));
}

TEST_CASE("numbers beyond any double are too large, or zero") {
  for (const auto* large :
       {"1e309", "-1e309", "1e99999999999999999999", "1234e306", "0.0001e400", "1.8e308"})
    CHECK_FALSE(nearest_double(large).has_value());
  for (const auto* tiny : {"1e-400", "1e-99999999999999999999", "123e-400", "0.0001e-350"}) {
    CHECK(same(nearest_double(tiny).value(), 0.0));
    CHECK(same(nearest_double(std::string{"-"} + tiny).value(), -0.0));
  }
}

TEST_CASE("numbers in a document are what they were written as") {
  REQUIRE(rc::check("doubles", [] {
    const auto text = any_number();
    rapidjson::Document document;
    const auto result = parse_exactly(document, "[" + text + "]");
    const auto expected = std::strtod(text.c_str(), nullptr);
    // The parser refuses some numbers by their exponent alone.
    if (!std::isfinite(expected)) RC_ASSERT(result.Code() == rapidjson::kParseErrorNumberTooBig);
    if (result.IsError()) return;
    RC_ASSERT(document[0].IsNumber());
    RC_ASSERT(document[0].GetDouble() == expected);
  }));
  rapidjson::Document document;
  REQUIRE_FALSE(parse_exactly(document, R"([-9223372036854775808,18446744073709551615,-0,2.0,"3"])")
                    .IsError());
  CHECK(document[0].GetInt64() == INT64_MIN);
  CHECK(document[1].GetUint64() == UINT64_MAX);
  CHECK(document[2].IsInt());
  CHECK(document[3].IsDouble());
  CHECK(document[4].IsString());
}

} // namespace
