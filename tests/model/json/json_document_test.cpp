#include "model/json/json_document.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <chrono>
#include <random>

using namespace matchcloud;
using namespace std::string_literals;
using model::json_document;
using model::json_kind;

namespace {

constexpr std::size_t depth_limit = 64;

json_document parsed(std::string_view text) {
  auto document = json_document::parse(text, depth_limit);
  INFO(text);
  REQUIRE(document.has_value());
  return std::move(*document);
}

base::error refused(std::string_view text) {
  const auto document = json_document::parse(text, depth_limit);
  INFO(text);
  REQUIRE_FALSE(document.has_value());
  return document.error();
}

std::string detail_of(std::string_view text) {
  const auto error = refused(text);
  REQUIRE(error.code == base::errc::body_malformed);
  return error.detail;
}

bool says(const std::string& detail, std::string_view part) {
  return detail.find(part) != std::string::npos;
}

/// The tape written back as JSON without recursion: a container ends where `next` says.
std::string rewritten(const json_document& document) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  std::vector<std::uint32_t> open;
  const auto close_ended = [&](std::uint32_t at) {
    while (!open.empty() && document.node(open.back()).next == at) {
      if (document.node(open.back()).kind == json_kind::object)
        writer.EndObject();
      else
        writer.EndArray();
      open.pop_back();
    }
  };
  for (std::uint32_t i = 0; i < document.node_count(); ++i) {
    close_ended(i);
    const auto& node = document.node(i);
    if (!open.empty() && document.node(open.back()).kind == json_kind::object) {
      const auto name = document.name(node);
      writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    }
    const auto text = document.text(node);
    const auto length = static_cast<rapidjson::SizeType>(text.size());
    switch (node.kind) {
    case json_kind::object:
      writer.StartObject();
      open.push_back(i);
      break;
    case json_kind::array:
      writer.StartArray();
      open.push_back(i);
      break;
    case json_kind::string: writer.String(text.data(), length); break;
    default: writer.RawValue(text.data(), length, rapidjson::kNullType);
    }
  }
  close_ended(document.node_count());
  return {buffer.GetString(), buffer.GetSize()};
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

/// Whether both are the same value by value.
bool same(const json_document& a, const json_document& b) {
  if (a.node_count() != b.node_count()) return false;
  for (std::uint32_t i = 0; i < a.node_count(); ++i) {
    const auto& x = a.node(i);
    const auto& y = b.node(i);
    if (x.kind != y.kind || x.offset != y.offset || x.next != y.next || x.count != y.count ||
        x.name_at != y.name_at || x.repeated != y.repeated || a.name(x) != b.name(y) ||
        a.text(x) != b.text(y))
      return false;
  }
  return true;
}

/// The text with one byte replaced, removed or added, by what JSON is made of.
std::string damaged(std::string text, std::uint32_t seed) {
  std::mt19937 random{seed};
  static constexpr std::string_view bytes{"{}[]\",:\\ \n\t0-1.eutfn\0\x1f\xc3\xa9"
                                          "a",
                                          24};
  const auto at = random() % (text.size() + 1);
  const auto byte = bytes[random() % bytes.size()];
  switch (random() % 3) {
  case 0: return text.insert(at, 1, byte);
  case 1: return text.erase(at, 1);
  default: return text.replace(at, 1, 1, byte);
  }
}

/// Generates random JSON text with names, strings and white space that need care. From a seed,
/// because rapidcheck shrinks a tree of generators too slowly.
class json_writer_of_chance {
public:
  explicit json_writer_of_chance(std::uint32_t seed) : random_(seed) {}

  std::string value(int levels) {
    switch (below(levels > 0 ? 6 : 4)) {
    case 0: return one_of({"null", "true", "false"});
    case 1: return word();
    case 2: return std::to_string(static_cast<std::int32_t>(random_()));
    case 3: return one_of({"1e400", "-0", "1.50", "18446744073709551616", "0e9999"});
    case 4: return container(levels, "{", "}");
    default: return container(levels, "[", "]");
    }
  }

private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string one_of(std::initializer_list<const char*> choices) {
    return choices.begin()[below(choices.size())];
  }

  std::string space() { return one_of({"", " ", "\n", "\t\r "}); }

  std::string word() {
    std::string text = "\"";
    for (auto parts = below(4); parts > 0; --parts)
      text += one_of({"a", "b", "\\u0000", "\\n", "\\\"", "\\\\", "é", "😀", "\\ud83d\\ude00",
                      "1e400", "{", " ", "\\/"});
    return text + "\"";
  }

  std::string container(int levels, const std::string& open, const std::string& close) {
    auto text = open;
    for (std::size_t i = 0, count = below(16); i < count; ++i) {
      if (i > 0) text += space() + ",";
      if (open == "{") text += space() + word() + space() + ":";
      text += space() + value(levels - 1);
    }
    return text + space() + close;
  }

  std::mt19937 random_;
};

bool has_earlier_twin(const json_document& document, std::uint32_t first, std::uint32_t at) {
  for (auto i = first; i < at; i = document.node(i).next)
    if (document.name(document.node(i)) == document.name(document.node(at))) return true;
  return false;
}

} // namespace

TEST_CASE("a document keeps order, repeated members, exact numbers and offsets") {
  const auto document = parsed(R"( {"a": 1e400, "b": [true, null], "a": "x\u0000y"} )");
  REQUIRE(document.node_count() == 6);
  REQUIRE(document.root().count == 3);
  REQUIRE(document.root().next == 6);
  REQUIRE(document.text(document.node(1)) == "1e400");
  REQUIRE(document.node(1).offset == 7);
  REQUIRE(document.node(2).next == 5);
  REQUIRE(document.text(document.node(3)) == "true");
  REQUIRE(document.node(3).offset == 20);
  REQUIRE(document.text(document.node(4)) == "null");
  REQUIRE(document.name(document.node(5)) == "a");
  REQUIRE(document.node(5).repeated);
  REQUIRE_FALSE(document.node(1).repeated);
  REQUIRE(document.text(document.node(5)) == "x\0y"s);
}

TEST_CASE("names that differ only in their escapes are the same name") {
  const auto document = parsed(R"({"ab": 1, "\u0061b": 2})");
  REQUIRE(document.node(2).repeated);
}

TEST_CASE("numbers of any size are kept digit for digit") {
  const auto digits = std::string(400, '9');
  for (const auto& number : {"0"s, "-0"s, "1.0"s, "18446744073709551616"s, digits, "-" + digits,
                             "0." + digits, "1E+400"s, "0e400"s, "1e-99999999999999999999"s}) {
    const auto document = parsed("[ " + number + ",\"1e400\", 7]");
    REQUIRE(document.text(document.node(1)) == number);
    REQUIRE(document.text(document.node(2)) == "1e400");
    REQUIRE(document.text(document.node(3)) == "7");
  }
}

TEST_CASE("containers nest up to the limit") {
  REQUIRE(json_document::parse(nested(depth_limit), depth_limit).has_value());
  const auto error = refused(nested(depth_limit + 1));
  REQUIRE(error.code == base::errc::body_too_deep);
  REQUIRE(says(error.detail, "line 1, column 65 (byte 64)"));
  REQUIRE(refused(std::string(200'000, '[')).code == base::errc::body_too_deep);
}

TEST_CASE("an error names where it is and what was expected") {
  REQUIRE(says(detail_of("{\n  \"é\" 1}"), "line 2, column 7 (byte 9)"));
  REQUIRE(says(detail_of("{\n  \"é\" 1}"), "expected a colon after the member name, found `1`"));
  REQUIRE(says(detail_of("{'a':1}"), "expected a member name in double quotes, found `'`"));
  REQUIRE(says(detail_of("[1"), "expected a comma or `]` after the element, found the end"));
  REQUIRE(says(detail_of("{\"a\":1 \"b\""), "expected a comma or `}`"));
  REQUIRE(says(detail_of("\"\\x\""), "expected a JSON escape"));
  REQUIRE(says(detail_of("{} {}"), "expected the end of the body"));
}

TEST_CASE("a word that is no JSON literal is shown whole, with the literal that was meant") {
  for (const auto& [word, meant] : {std::pair<std::string, std::string>{"tru", "true"},
                                    {"t", ""},
                                    {"True", "true"},
                                    {"flase", "false"},
                                    {"nul", "null"},
                                    {"nulll", "null"},
                                    {"None", ""},
                                    {"undefined", ""},
                                    {"x_1", ""}})
    for (const std::string after : {"", "]", " ]", ",1]"}) {
      INFO(word << after);
      CHECK(says(detail_of("[ " + word + after),
                 "(byte 2): expected a JSON value, found `" + word + "`." +
                     (meant.empty() ? "" : " Did you mean `" + meant + "`?")));
    }
}

TEST_CASE("a malformed number says where and how, also next to numbers beyond a double") {
  struct malformed_number {
    std::string_view text;
    std::size_t at;
    std::string_view sentence;
  };
  for (const auto& [number, at, sentence] : {
           malformed_number{"1.", 2, "expected a digit after the decimal point, found `,`."},
           {"1.e5", 2, "expected a digit after the decimal point, found `e`."},
           {"-", 1, "expected a digit after the minus sign, found `,`."},
           {"--1", 1, "expected a digit after the minus sign, found `-`."},
           {"-x", 1, "expected a digit after the minus sign, found `x`."},
           {"+1", 0, "a number cannot start with `+`. Remove the `+`."},
           {".5", 0, "a number needs a digit before the decimal point, such as `0`."},
           {"-.5", 1, "a number needs a digit before the decimal point, such as `0`."},
           {"01", 0, "a number cannot start with 0. Remove the leading zeros, or put `01` in "},
           {"-00", 1, "a number cannot start with 0. Remove the leading zeros, or put `-00` in "},
           {"1e", 2, "expected a digit in the exponent, found `,`."},
           {"1.0e", 4, "expected a digit in the exponent, found `,`."},
           {"1.0E+", 5, "expected a digit in the exponent, found `,`."},
           {"1e+-5", 3, "expected a digit in the exponent, found `-`."},
           {"0x1F", 0, "JSON has no hexadecimal numbers, found `0x1F`."},
           {"-0b1", 0, "JSON has no binary numbers, found `-0b1`."},
           {"0o7", 0, "JSON has no octal numbers, found `0o7`."},
           {"NaN", 0, "JSON has no number `NaN`. Use a finite number."},
           {"Infinity", 0, "JSON has no number `Infinity`. Use a finite number."},
           {"-Infinity", 0, "JSON has no number `-Infinity`. Use a finite number."},
           {"1.2.3", 0, "`1.2.3` is not a number in JSON. Correct it, or put it in double quotes"},
           {"1_000", 0, "`1_000` is not a number in JSON."},
           {"5ms", 0, "`5ms` is not a number in JSON."},
       }) {
    for (const std::string before : {"[", "[ \n", "[1e400,", "{\"1.\":"})
      for (const std::string after : {",1]", " ,1e400"}) {
        const auto text = before + std::string{number} + after;
        const auto error = json_document::read_object(text, depth_limit);
        INFO(text);
        REQUIRE_FALSE(error.has_value());
        // White space follows where a comma does not.
        auto wanted = std::string{sentence};
        if (after.front() == ' ' && wanted.ends_with("`,`."))
          wanted.replace(wanted.size() - 4, 4, "` `.");
        CHECK(says(error.error().sentence, wanted));
        CHECK(error.error().offset == before.size() + at);
      }
  }
  for (const auto& [text, end] : {std::pair{"1.", 2}, {"-", 1}, {"[1e", 3}}) {
    CHECK(says(detail_of(text), "(byte " + std::to_string(end) + ")"));
    CHECK(says(detail_of(text), ", found the end."));
  }
  CHECK(says(detail_of("[...]"), "expected a JSON value, found `.`."));
  CHECK(says(detail_of("{1:2}"), "expected a member name in double quotes, found `1`."));
  CHECK(says(detail_of("[1 000]"), "(byte 3): expected a comma or `]` after the element"));
}

TEST_CASE("a control character in a string is named where it stands, NUL included") {
  const auto sentence = [](const std::string& found, const std::string& advice) {
    return "): a control character in a string must be escaped (found `" + found + "`). " + advice;
  };
  CHECK(says(
      detail_of("[\"a\nb\"]"),
      "column 4 (byte 3" +
          sentence("\\u000a",
                   "Write `\\n` in its place, or end the string before it with a double quote.")));
  CHECK(says(detail_of("[\"\t\"]"),
             "(byte 2" + sentence("\\u0009", "Write `\\t` in its place, or remove it.")));
  CHECK(says(detail_of("[\"\x01\"]"),
             "(byte 2" + sentence("\\u0001", "Write `\\u0001` in its place, or remove it.")));
  const auto nul = sentence("\\u0000", "Write `\\u0000` in its place, or remove it.");
  CHECK(says(detail_of("{\"a\":\"x\0y\"}"s), "(byte 7" + nul));
  CHECK(says(detail_of("{\"a\0\":1}"s), "(byte 3" + nul));
  CHECK(says(detail_of("[\"x\0"s), "(byte 3" + nul));
  CHECK(says(detail_of("[1e400,\"x\0\"]"s), "(byte 9" + nul));
  // A backslash escapes no control character.
  CHECK(says(detail_of("[\"\\\0\"]"s),
             "(byte 3" + sentence("\\u0000", "Write `\\u0000` for it and the backslash before it, "
                                             "or remove both.")));
  CHECK(says(detail_of("[\"\\\n\"]"),
             "(byte 3" + sentence("\\u000a", "Write `\\n` for it and the backslash before it, or "
                                             "remove both.")));
  CHECK(says(detail_of("\0{}"s), "(byte 0): expected a JSON value, found `\\u0000`."));
  CHECK(says(detail_of("[\"x"), "expected a double quote at the end of the string"));
}

TEST_CASE("a wrong escape is shown as it was written, where it begins") {
  CHECK(detail_of(R"(["a\ud800"])") ==
        "At line 1, column 4 (byte 3): expected a low surrogate escape (`\\udc00` to `\\udfff`) "
        "after the high one `\\ud800`.");
  CHECK(says(detail_of(R"("\ud83d\ud83d")"), "(byte 1): expected a low surrogate escape"));
  CHECK(detail_of(R"({"\\\ud83d\ude00 \udE01": 1})") ==
        "At line 1, column 18 (byte 17): expected a high surrogate escape (`\\ud800` to `\\udbff`) "
        "before the low one `\\udE01`.");
  CHECK(says(detail_of(R"("\x41")"), R"(\uXXXX), found `\x`.)"));
  CHECK(says(detail_of(R"("\`")"), R"(found "\\`".)"));
  CHECK(says(detail_of(R"("\é")"), R"(found `\é`.)"));
  CHECK(says(detail_of(R"("\u12g4")"), R"(after `\u`, found `\u12`.)"));
  CHECK(says(detail_of("`"), "found \"`\"."));
  CHECK(says(detail_of(R"("\ud83dx")"), "expected a low surrogate escape"));
  CHECK(says(detail_of(R"({"\ude00\ud83d": 1})"), "surrogate escape"));
}

TEST_CASE("comments are refused by name, wherever they stand") {
  for (const std::string comment : {"// c\n", "/* c */", "# c\n"}) {
    for (const auto& [before, after] : {std::pair<std::string, std::string>{"", "{}"},
                                        {"{", "}"},
                                        {"{\"a\"", ":1}"},
                                        {"{\"a\":1", "}"},
                                        {"{\"a\":1,", "\"b\":2}"},
                                        {"[", "]"},
                                        {"[1", "]"},
                                        {"[1, ", "2]"},
                                        {"{}", ""}}) {
      const auto detail = detail_of(before + comment + after);
      INFO(before + comment + after);
      CHECK(says(detail, "JSON has no comments"));
      CHECK(says(detail, "(byte " + std::to_string(before.size()) + ")"));
    }
  }
  CHECK(says(detail_of("{\"a\": // c\n1}"), "JSON has no comments"));
  // Neither the start of a comment in a string nor another use of its characters is a comment.
  CHECK(parsed("[\"// c\",\"# c\",\"/*\"]").node_count() == 4);
  CHECK(says(detail_of("{\"colour\": #ff0000}"), "expected a JSON value, found `#`"));
  CHECK(says(detail_of("[/]"), "expected a JSON value, found `/`"));
}

TEST_CASE("a comma before a closing bracket is refused where it stands") {
  CHECK(says(detail_of("{\"a\":1,\n}"), "column 7 (byte 6): JSON allows no comma before `}`"));
  CHECK(says(detail_of("[1 , ]"), "(byte 3): JSON allows no comma before `]`. Remove the comma."));
  CHECK(says(detail_of("{\"a\":]"), "expected a JSON value, found `]`"));
  CHECK(says(detail_of("[1,}"), "expected a JSON value, found `}`"));
  CHECK(says(detail_of("[,1]"), "expected a JSON value, found `,`"));
}

TEST_CASE("an error has its place apart from its sentence") {
  const auto error = json_document::read_object("\n[1]", depth_limit);
  REQUIRE_FALSE(error.has_value());
  CHECK(error.error().code == base::errc::body_not_object);
  CHECK(error.error().offset == 1);
  CHECK(error.error().sentence == "the body must be a JSON object, but is an array.");
  CHECK(json_document::parse_object("\n[1]", depth_limit).error().detail ==
        "At line 2, column 1 (byte 1): the body must be a JSON object, but is an array.");
}

TEST_CASE("an empty body, a byte order mark and a NUL byte are refused by name") {
  CHECK(says(detail_of(""), "the body is empty"));
  CHECK(says(detail_of(" \n\t"), "the body is empty"));
  CHECK(says(detail_of("\xEF\xBB\xBF{}"), "byte order mark"));
  CHECK(says(detail_of("{}\0"s), "NUL"));
  CHECK(says(detail_of("{}\0{}"s), "NUL"));
  detail_of("[1\0]"s);
}

TEST_CASE("what is not UTF-8 is refused where it stands") {
  for (const auto& bytes :
       {"\x80"s, "\xC0\x80"s, "\xC1\xBF"s, "\xE0\x80\x80"s, "\xED\xA0\x80"s, "\xF0\x80\x80\x80"s,
        "\xF4\x90\x80\x80"s, "\xF5\x80\x80\x80"s, "\xE2\x82"s, "\xFF"s}) {
    REQUIRE(says(detail_of("[\"" + bytes + "\"]"), "(byte 2): expected UTF-8"));
  }
}

TEST_CASE("property: a document says what RapidJSON's says") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    const auto text = json_writer_of_chance{seed}.value(3);
    const auto document = json_document::parse(text, depth_limit);
    RC_ASSERT(document.has_value());
    rapidjson::Document ours;
    rapidjson::Document theirs;
    constexpr unsigned flags = rapidjson::kParseNumbersAsStringsFlag;
    const auto blank_exponents = [](std::string json) {
      for (const std::string_view big : {"1e400", "0e9999"})
        for (auto at = json.find(big); at != std::string::npos; at = json.find(big))
          json.replace(at, big.size(), "77");
      return json;
    };
    ours.Parse<flags>(blank_exponents(rewritten(*document)).c_str());
    theirs.Parse<flags>(blank_exponents(text).c_str());
    RC_ASSERT(!ours.HasParseError());
    RC_ASSERT(!theirs.HasParseError());
    rapidjson::StringBuffer a;
    rapidjson::StringBuffer b;
    rapidjson::Writer<rapidjson::StringBuffer> write_a{a};
    rapidjson::Writer<rapidjson::StringBuffer> write_b{b};
    ours.Accept(write_a);
    theirs.Accept(write_b);
    RC_ASSERT(std::string_view(a.GetString()) == std::string_view(b.GetString()));
  }));
}

TEST_CASE("property: a text is read alike with recursion and without, also a damaged one") {
  // Beyond some limit of depth, texts are parsed without recursion.
  static constexpr std::size_t beyond = 1'024;
  REQUIRE(rc::check([](std::uint32_t seed) {
    auto text = "[" + json_writer_of_chance{seed}.value(3) + "]";
    for (std::uint32_t i = 0; i < 20; ++i) {
      const auto recursive = json_document::parse(text, depth_limit);
      const auto iterative = json_document::parse(text, beyond);
      RC_ASSERT(recursive.has_value() == iterative.has_value());
      if (recursive)
        RC_ASSERT(same(*recursive, *iterative));
      else
        RC_ASSERT(recursive.error() == iterative.error());
      text = damaged(recursive ? text : "[" + json_writer_of_chance{seed + i}.value(2) + "]",
                     seed + i);
    }
  }));
}

TEST_CASE("many numbers in a line take time in proportion to their number") {
  const auto fastest = [](std::size_t bytes) {
    std::string text = "[0";
    while (text.size() < bytes)
      text += ",0";
    text += "]";
    auto best = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 5; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      REQUIRE(parsed(text).node_count() > bytes / 2);
      best = std::min(best, std::chrono::steady_clock::now() - begin);
    }
    return best;
  };
  // 32 times the bytes: in proportion to their square it would be 1,024 times the time.
  CHECK(fastest(512UL * 1024) < 200 * fastest(16UL * 1024));
}

TEST_CASE("strings and white space end where they end, at every length and place") {
  // The parser looks at several bytes at once, at every place that these can have.
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t length = 0; length < 40; ++length) {
      const std::string space(before, before % 2 == 0 ? ' ' : '\n');
      const std::string content(length, 'x');
      const auto text =
          "[" + space + "\"" + content + "\"" + space + "," + space + "\"" + content + "\\t\"]";
      const auto document = parsed(text);
      REQUIRE(document.node_count() == 3);
      REQUIRE(document.text(document.node(1)) == content);
      REQUIRE(document.node(1).offset == 1 + before);
      REQUIRE(document.text(document.node(2)) == content + "\t");
      const auto open = "[\"" + content;
      REQUIRE(says(detail_of(open), "(byte " + std::to_string(open.size()) + ")"));
      REQUIRE(says(detail_of(open + '\x1f' + content + "\"]"),
                   "(byte " + std::to_string(open.size()) + ")"));
    }
  }
}

TEST_CASE("a member of the root is found by name and kind") {
  const auto document =
      json_document::parse(R"({"a":{"b":"inner"},"b":1,"b":"two","c":[{"d":0}]})", depth_limit);
  REQUIRE(document.has_value());
  const auto* number = document->find_member("b", json_kind::number);
  const auto* text = document->find_member("b", json_kind::string);
  REQUIRE(number != nullptr);
  REQUIRE(text != nullptr);
  CHECK(document->text(*number) == "1");
  CHECK(document->text(*text) == "two");
  CHECK(document->find_member("d", json_kind::number) == nullptr);
  CHECK(document->find_member("c", json_kind::object) == nullptr);
  const auto array = json_document::parse(R"([{"b":1}])", depth_limit);
  REQUIRE(array.has_value());
  CHECK(array->find_member("b", json_kind::number) == nullptr);
}

TEST_CASE("property: a member is repeated exactly if an earlier one has its name") {
  REQUIRE(rc::check([] {
    const auto names = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40));
    std::string text = "{";
    for (const auto name : names)
      text += (text.size() > 1 ? ",\"" : "\"") + std::to_string(name) + "\":[{}]";
    const auto document = json_document::parse(text + "}", depth_limit);
    RC_ASSERT(document.has_value());
    for (std::uint32_t i = 1; i < document->node_count(); i = document->node(i).next)
      RC_ASSERT(document->node(i).repeated == has_earlier_twin(*document, 1, i));
  }));
}

TEST_CASE("property: a text cut short is never accepted") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    const auto text = "[" + json_writer_of_chance{seed}.value(2) + "]";
    const auto length = seed % text.size();
    RC_ASSERT(!json_document::parse(text.substr(0, length), depth_limit).has_value());
  }));
}

TEST_CASE("names whose hashes collide are still told apart") {
  // More than the name table of an object of this size probes one after the other.
  constexpr std::size_t members = 200;
  constexpr std::size_t table_mask = 511;
  std::vector<std::string> names;
  for (int i = 0; names.size() < members; ++i)
    if (auto name = std::to_string(i); (std::hash<std::string_view>{}(name)&table_mask) == 0)
      names.push_back(std::move(name));
  names.push_back(names[150]);
  names.push_back(names[3]);
  std::string text = "{";
  for (const auto& name : names)
    text += (text.size() > 1 ? ",\"" : "\"") + name + "\":0";
  const auto document = json_document::parse(text + "}", depth_limit);
  REQUIRE(document.has_value());
  for (std::uint32_t i = 1; i < document->node_count(); ++i) {
    INFO(i);
    CHECK(document->node(i).repeated == (i > members));
  }
}
