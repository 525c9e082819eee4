#include "model/validation/text_checks.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

using namespace matchcloud::model;
using namespace std::string_view_literals;

namespace {

std::string text_of(const std::optional<violation>& violation) {
  return violation ? std::string(violation->code) + ": " + violation->predicate : "accepted";
}

std::string said_of_name(std::string_view name) {
  return text_of(check_field_name(name, 16));
}

std::string said_of_value(std::string_view value) {
  return text_of(check_field_value(value, 16));
}

} // namespace

TEST_CASE("a header's name is a token of bounded length") {
  for (const auto name : {"a"sv, "X-Game_Token.1"sv, "!#$%&'*+-.^_`|~"sv, "0123456789abcdef"sv})
    CHECK(said_of_name(name) == "accepted");
  CHECK(said_of_name("") == "too-short: is empty. Write the name of a header, 1 to 16 bytes.");
  CHECK(said_of_name("0123456789abcdefg") == "too-long: has 17 bytes. Shorten it to at most 16.");
  // The length is checked first, in bytes.
  CHECK(said_of_name("ééééééééé").starts_with("too-long: has 18 bytes."));
  for (const auto name :
       {"a b"sv, "a:"sv, "a\0"sv, "(a)"sv, "a\tb"sv, "\"a\""sv, "a/b"sv, "a@b"sv, "[a]"sv, "{a}"sv,
        "a,b"sv, "a;b"sv, "a=b"sv, "a\\b"sv, "<a>"sv, "a?"sv, "é"sv, "a\x7F"sv, "a\r\nb"sv})
    CHECK(check_field_name(name, 16)->code == "invalid");
}

TEST_CASE("what is wrong with a header's name is said with its first offending character") {
  CHECK(said_of_name("X-Größe:") ==
        "invalid: contains `ö` (U+00F6) at character 5, which a header name cannot contain. Use "
        "letters, digits, dashes and underscores, such as `X-Game-Token`.");
  CHECK(said_of_name("a\nb").find("contains U+000A at character 2") != std::string::npos);
  // A user who puts the whole header line here writes a secret, which must not be echoed.
  CHECK(said_of_name("Token: secret").find("secret") == std::string::npos);
}

TEST_CASE("a header's value is one line of bounded length") {
  for (const auto value : {""sv, " a\tb "sv, "~!@#$%^&*()"sv, "Größe 雪"sv, "\x80\xFF"sv})
    CHECK(said_of_value(value) == "accepted");
  CHECK(said_of_value("0123456789abcdefg") == "too-long: has 17 bytes. Shorten it to at most 16.");
  CHECK(said_of_value("é\r\nX: y") ==
        "invalid: contains U+000D at character 2, a control character. Remove it: a header's value "
        "is one line of visible characters, spaces and tabs.");
  for (const auto value : {"\0"sv, "a\n"sv, "\x7F"sv, "\x1B[31m"sv})
    CHECK(check_field_value(value, 16)->code == "invalid");
}

TEST_CASE("property: what is said of a header's value does not depend on its visible part") {
  REQUIRE(rc::check([](std::uint32_t seed) {
    const auto length = seed % 12;
    const auto first = *rc::gen::container<std::string>(length, rc::gen::inRange<char>(0x20, 0x7F));
    const auto second =
        *rc::gen::container<std::string>(length, rc::gen::inRange<char>(0x20, 0x7F));
    const auto bad = *rc::gen::oneOf(rc::gen::inRange<char>(0, 9), rc::gen::inRange<char>(10, 0x20),
                                     rc::gen::just('\x7F'));
    RC_ASSERT(said_of_value(first) == "accepted");
    RC_ASSERT(said_of_value(first + bad) == said_of_value(second + bad));
    RC_ASSERT(said_of_value(first + bad) != "accepted");
  }));
}

TEST_CASE("the headers that the service sets itself are reserved in any case") {
  for (const auto name : {"Host", "host", "CONTENT-LENGTH", "Transfer-encoding", "connection"})
    CHECK(is_reserved_field(name));
  for (const auto name : {"", "Hos", "Host ", "Host2", "X-Host", "Content_Length", "Authorization"})
    CHECK_FALSE(is_reserved_field(name));
}
