#include "model/json/json_writer.hpp"

#include "tests/catch.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <rapidcheck.h>
#include <rapidjson/document.h>

namespace {

using namespace matchcloud::model;

std::string thousandths(double value) {
  std::string text;
  append_thousandths(text, value);
  return text;
}

std::string shortest(double value) {
  std::string text;
  append_shortest(text, value);
  return text;
}

TEST_CASE("Distances have at most three decimals and no trailing zeros") {
  CHECK(thousandths(0) == "0");
  CHECK(thousandths(1) == "1");
  CHECK(thousandths(1.5) == "1.5");
  CHECK(thousandths(1.25) == "1.25");
  CHECK(thousandths(1.2344) == "1.234");
  CHECK(thousandths(100.001) == "100.001");
  CHECK(thousandths(100.01) == "100.01");
  CHECK(thousandths(20003.9314586236) == "20003.931");
  CHECK(thousandths(999.9996) == "1000");
  CHECK(thousandths(1e9) == "1000000000");
}

TEST_CASE("Halves round away from zero, judged by the exact value") {
  CHECK(thousandths(0.0625) == "0.063");
  CHECK(thousandths(-0.0625) == "-0.063");
  CHECK(thousandths(0.3125) == "0.313");
  // The double 1.0005 is slightly below the half, 0.0005 slightly above.
  CHECK(thousandths(1.0005) == "1");
  CHECK(thousandths(0.0005) == "0.001");
  CHECK(thousandths(std::nextafter(0.0625, 0)) == "0.062");
}

TEST_CASE("Small and strange values have neither sign nor exponent") {
  CHECK(thousandths(-0.0) == "0");
  CHECK(thousandths(-0.0004) == "0");
  CHECK(thousandths(5e-324) == "0");
  CHECK(thousandths(std::numeric_limits<double>::quiet_NaN()) == "0");
  CHECK(thousandths(std::numeric_limits<double>::infinity()) == "1000000000000");
  CHECK(shortest(-0.0) == "0");
  CHECK(shortest(std::numeric_limits<double>::quiet_NaN()) == "0");
  CHECK(shortest(5e-324).size() == 326);
  CHECK(shortest(-1.7976931348623157e308).size() == 310);
}

TEST_CASE("Coordinates are printed as they were written") {
  CHECK(shortest(51.5074) == "51.5074");
  CHECK(shortest(-0.1278) == "-0.1278");
  CHECK(shortest(180) == "180");
  CHECK(shortest(-90) == "-90");
  CHECK(shortest(0.00001) == "0.00001");
}

TEST_CASE("Thousandths are those of the C library except at exact halves") {
  REQUIRE(rc::check("like printf", [] {
    const double value = *rc::gen::inRange(-2'000'000'000, 2'000'000'000) /
                         *rc::gen::elementOf(std::vector<double>{3, 7, 1e3, 1e4, 1e5, 99991});
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.3f", value);
    // Only multiples of a sixteenth are exact halves of a thousandth.
    RC_PRE(value * 16 != std::floor(value * 16));
    double reread = 0;
    const auto text = thousandths(value);
    std::from_chars(text.data(), text.data() + text.size(), reread);
    RC_ASSERT(reread == std::strtod(expected, nullptr));
    RC_ASSERT(text.find_first_not_of("-0123456789.") == std::string::npos);
  }));
}

TEST_CASE("The shortest number reads back as the same double") {
  REQUIRE(rc::check("round trip", [](double value) {
    RC_PRE(std::isfinite(value));
    const auto text = shortest(value);
    RC_ASSERT(std::strtod(text.c_str(), nullptr) == value);
    RC_ASSERT(text.find_first_not_of("-0123456789.") == std::string::npos);
  }));
}

TEST_CASE("A string survives being written and parsed") {
  std::string escaped;
  append_json_string(escaped, std::string_view{"a\"\\/\n\x01\x7f\xc3\xa9\0", 10});
  CHECK(escaped == "\"a\\\"\\\\/\\n\\u0001\x7f\xc3\xa9\\u0000\"");
  REQUIRE(rc::check("round trip", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::map(rc::gen::inRange(0, 128), [](int c) { return static_cast<char>(c); }));
    std::string json;
    append_json_string(json, text);
    rapidjson::Document parsed;
    parsed.Parse(json.data(), json.size());
    RC_ASSERT(!parsed.HasParseError());
    RC_ASSERT(std::string(parsed.GetString(), parsed.GetStringLength()) == text);
  }));
}

} // namespace
