#include "model/json/json_writer.hpp"

#include "model/json/rapidjson.hpp"

#include "tests/catch.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <rapidcheck.h>
#include <string>

namespace matchcloud::model {
namespace {

TEST_CASE("values, names and containers are written with commas where they belong") {
  json_writer json;
  json.object().name("a").array().end_array().name("b").object().end_object();
  json.name("c").array().number(-1).number(std::numeric_limits<std::uint64_t>::max());
  json.text("x").null().boolean(true).boolean(false).raw("1.5").array().number(0).end_array();
  json.object().name("d").text("").end_object().end_array().end_object();
  CHECK(json.take() == R"({"a":[],"b":{},"c":[-1,18446744073709551615,"x",null,true,false,1.5,[0],)"
                       R"({"d":""}]})");
}

TEST_CASE("JSON that is taken in parts is the same text") {
  json_writer json;
  std::string text;
  json.array().text("a");
  text += json.take();
  text += json.take();
  json.text("b").object();
  text += json.take();
  json.name("c").number(1).end_object().end_array();
  text += json.take();
  CHECK(text == R"(["a","b",{"c":1}])");
}

TEST_CASE("names that end like brackets and colons are names still") {
  json_writer json;
  json.object().name("{").text("[").name(":").text(":").name("x").number(1).end_object();
  CHECK(json.take() == R"({"{":"[",":":":","x":1})");
}

TEST_CASE("beyond ASCII is escaped where it is asked for, as UTF-16 (RFC 8259 section 7)") {
  json_writer plain;
  CHECK(plain.text("\xC3\xBC\xF0\x9F\x98\x80").take() == "\"\xC3\xBC\xF0\x9F\x98\x80\"");
  json_writer ascii{json_escapes::beyond_ascii};
  CHECK(ascii.text("\xC3\xBC \xF0\x9F\x98\x80\"\\\n\x1b").take() ==
        R"("\u00FC \uD83D\uDE00\"\\\n\u001b")");
  CHECK(json_writer{}.text({"a\"\\/\n\x01\x7f\xc3\xa9\0", 10}).take() ==
        "\"a\\\"\\\\/\\n\\u0001\x7f\xc3\xa9\\u0000\"");
  json_writer broken{json_escapes::beyond_ascii};
  CHECK(broken.text("a\xFFz").take() == R"("a\uFFFDz")");
}

TEST_CASE("any text reads back as it was, however it is escaped") {
  CHECK(rc::check([] {
    std::string text;
    for (const auto point : *rc::gen::container<std::vector<char32_t>>(
             rc::gen::element<char32_t>(U'a', U'"', U'\\', 0x1, 0x1F, 0x7F, 0xE9, 0x20AC, 0x1F600)))
      text += [&] {
        rapidjson::StringBuffer bytes;
        rapidjson::UTF8<>::Encode(bytes, point);
        return std::string{bytes.GetString(), bytes.GetSize()};
      }();
    for (const auto how : {json_escapes::none, json_escapes::beyond_ascii}) {
      json_writer json{how};
      const auto written = json.text(text).take();
      rapidjson::Document read;
      read.Parse(written.c_str());
      RC_ASSERT(read.IsString());
      RC_ASSERT(std::string(read.GetString(), read.GetStringLength()) == text);
    }
  }));
}

} // namespace
} // namespace matchcloud::model

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

} // namespace
