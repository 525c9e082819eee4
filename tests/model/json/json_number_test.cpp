// What the three readers of JSON say about numbers: only where there is one.
#include "model/json/json_number.hpp"

#include "model/catalog/catalog_element.hpp"
#include "model/json/json_document.hpp"
#include "model/records/record_line.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <rapidcheck.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::model {
namespace {

constexpr std::size_t number_depth_limit = 64;

std::string said_of_body(std::string_view text) {
  const auto document = json_document::parse(text, number_depth_limit);
  return document ? std::string{} : document.error().detail;
}

std::string said_of_catalog(std::string_view text) {
  const auto document = parse_catalog_document(text);
  return document ? std::string{} : document.error().detail;
}

/// The members of the texts below are known, and `x` may be anything.
std::string said_of_line(std::string_view text) {
  constexpr std::array<json_field, 3> members{
      {{"display_name", false}, {"start", false}, {"name", false}}};
  std::array<record_field, members.size()> fields;
  record_reader reader{members, {"x"}};
  const auto finding = reader.read(text, fields);
  return finding ? finding->message : std::string{};
}

std::array<std::string, 3> said_of(const std::string& text) {
  return {said_of_body(text), said_of_catalog(text), said_of_line(text)};
}

bool is_about_number(std::string_view message) {
  return message.find("number") != message.npos || message.find("a digit") != message.npos;
}

bool is_one_of(std::string_view characters, char c) {
  return characters.find(c) != characters.npos;
}

/// Whether the end of `text`, the beginning of a JSON text, is in a number or right after one.
bool ends_in_number(std::string_view text) {
  bool is_in_string = false;
  bool is_in_number = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_in_string && text[at] == '\\') {
      ++at;
      continue;
    }
    if (text[at] == '"') is_in_string = !is_in_string;
    is_in_number =
        !is_in_string && is_one_of(is_in_number ? "0123456789.eE+-" : "0123456789-", text[at]);
  }
  return is_in_number;
}

/// What looks like numbers, each wrong as one: for strings and names.
constexpr std::array<const char*, 14> decoys{
    ":01",  ",0x1F", "[+1",    ":.5",      ":-",       ":1.",          ",1e",
    ":NaN", ":5ms",  ":1.2.3", R"(\":01)", R"(\\,-0)", R"(\u0041:00)", R"(\n[1e+)"};

/// Generates JSON with such strings and names among numbers of all forms.
class decoy_writer {
public:
  explicit decoy_writer(std::uint32_t seed) : random_{seed} {}

  std::string value(int levels) {
    constexpr std::array<const char*, 10> numbers{"0",      "-0",   "-17",     "1.50", "1e400",
                                                  "2.5E-3", "1e+5", "-0.25e9", "1234", "0.0"};
    switch (below(levels > 0 ? 6 : 4)) {
    case 0: return below(2) == 0 ? "null" : "false";
    case 1: return word();
    case 2:
    case 3: return numbers.at(below(numbers.size()));
    case 4: return container(levels, '{', '}');
    default: return container(levels, '[', ']');
    }
  }

private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string space() { return below(4) == 0 ? " " : ""; }

  std::string word() {
    std::string text = "\"";
    for (auto parts = below(4); parts > 0; --parts)
      text += decoys.at(below(decoys.size())) + space();
    return text + "\"";
  }

  std::string container(int levels, char open, char close) {
    std::string text{open};
    for (std::size_t i = 0, count = below(6); i < count; ++i) {
      if (i > 0) text += space() + ",";
      if (open == '{') text += space() + word() + space() + ":";
      text += space() + value(levels - 1);
    }
    return text + space() + close;
  }

  std::mt19937 random_;
};

TEST_CASE("an error in a string says nothing about numbers, whatever the string is about") {
  for (const auto& [text, wanted] : {
           std::pair<std::string, std::string>{R"({"display_name":"a","start":"2026-01-31T23:00)",
                                               "quot"},
           {R"({"display_name":"x:0x1\q"})", "escape"},
           {R"({"name":"ratio:01\uZZZZ"})", "\\u"},
           {R"({"name":"[01\ud800"})", "urrogate"},
           {R"({"name":"a,01)", "quot"},
           {"{\"name\":\"a:01\n\"}", "escape"},
           {"{\"name\":\"a:01\xff\"}", "UTF-8"},
           {R"({"display_name":"a\n\"b","name":"\":01)", "quot"},
           {R"({"name:01)", "quot"},
           {R"({"x":[1,"a:-)", "quot"},
       })
    for (const auto& message : said_of(text)) {
      INFO(text << "\n" << message);
      CHECK_FALSE(is_about_number(message));
      CHECK(message.find(wanted) != message.npos);
    }
}

TEST_CASE("a name that is none says nothing about numbers") {
  for (const std::string text : {"{01:2}", "{\"x\":1,01:2}", "{\"x\" 01}", "{-", "{+1"})
    for (const auto& message : said_of(text)) {
      INFO(text << "\n" << message);
      CHECK(message.find("name") != message.npos);
      CHECK_FALSE(is_about_number(message));
    }
}

TEST_CASE("a malformed number is told by every reader, also behind strings like numbers") {
  for (const std::string before : {"", R"("name":"a:01",)", R"("name":"a\n:0x1\"",)"})
    for (const auto& [number, sentence] :
         {std::pair<std::string, std::string>{"01", "a number cannot start with 0"},
          {"0x1F", "JSON has no hexadecimal numbers"},
          {"+1", "a number cannot start with `+`"},
          {".5", "a number needs a digit before the decimal point"},
          {"-", "expected a digit after the minus sign"},
          {"1.", "expected a digit after the decimal point"},
          {"1e", "expected a digit in the exponent"},
          {"NaN", "JSON has no number `NaN`"},
          {"5ms", "`5ms` is not a number in JSON"}})
      for (const std::string around : {"", "["})
        for (const std::string after : {"", " ", "}", ",\"start\":1}"})
          for (const auto& message : said_of("{" + before + "\"x\":" + around + number + after)) {
            INFO(before << around << number << after << "\n" << message);
            CHECK(message.find(sentence) != message.npos);
          }
}

TEST_CASE("property: a JSON text that is cut is advised about numbers only if cut in one") {
  std::size_t advised = 0;
  std::size_t cut = 0;
  REQUIRE(rc::check([&](std::uint32_t seed) {
    const auto text = "{\"x\":" + decoy_writer{seed}.value(2) + "}";
    RC_ASSERT(said_of_body(text).empty());
    // Only bodies may have numbers beyond a double: the other readers end there.
    const std::size_t readers = text.find("1e400") == text.npos ? 3 : 1;
    for (std::size_t length = 1; length < text.size(); ++length) {
      const auto beginning = text.substr(0, length);
      // Wrong are a sign, a point and an exponent that nothing follows.
      const bool is_wrong_number =
          ends_in_number(beginning) && is_one_of("-+.eE", beginning.back());
      const auto messages = said_of(beginning);
      for (const auto& message : std::span{messages}.first(readers)) {
        RC_LOG() << beginning << "\n" << message;
        RC_ASSERT(!message.empty());
        RC_ASSERT(is_about_number(message) == is_wrong_number);
        advised += is_wrong_number ? 1 : 0;
        ++cut;
      }
    }
  }));
  CHECK(advised > 50);
  CHECK(cut > 1'000);
}

} // namespace
} // namespace matchcloud::model

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
