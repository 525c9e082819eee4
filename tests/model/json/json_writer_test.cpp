#include "model/json/json_writer.hpp"

#include "model/json/rapidjson.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <string>

namespace matchcloud::model {
namespace {

TEST_CASE("a text comes out as its parts say, with commas where they belong") {
  json_writer json;
  json.object().name("a").array().end_array().name("b").object().end_object();
  json.name("c").array().number(-1).number(std::numeric_limits<std::uint64_t>::max());
  json.text("x").null().boolean(true).boolean(false).raw("1.5").array().number(0).end_array();
  json.object().name("d").text("").end_object().end_array().end_object();
  CHECK(json.take() == R"({"a":[],"b":{},"c":[-1,18446744073709551615,"x",null,true,false,1.5,[0],)"
                       R"({"d":""}]})");
}

TEST_CASE("what is taken in parts is the same text") {
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
