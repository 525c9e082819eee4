// Checks of texts by themselves. The display names that are refused are listed in
// validation/display_names.json; here are their messages. URLs: public_url_test.cpp.
#include "model/validation/text_checks.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

using namespace matchcloud::model;
using namespace std::string_view_literals;

namespace {

std::string text_of(const std::optional<violation>& violation) {
  return violation ? std::string(violation->code) + ": " + violation->predicate : "accepted";
}

std::string said_of_display_name(std::string_view name) {
  return text_of(check_display_name(name, 24));
}

std::string said_of_name(std::string_view name) {
  return text_of(check_field_name(name, 16));
}

std::string said_of_value(std::string_view value) {
  return text_of(check_field_value(value, 16));
}

std::string said_of_glob(std::string_view glob) {
  return text_of(check_glob(glob, 8));
}

/// Globs of few segments, so that runs of `**` and of slashes occur.
rc::Gen<std::string> any_glob() {
  const auto segment = rc::gen::element<std::string>("", "*", "**", "***", "a", "a**", "*a*", "é");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(segment), [](const auto& parts) {
    std::string glob;
    for (const auto& part : parts)
      glob.append(glob.empty() ? "" : "/").append(part);
    return glob;
  });
}

} // namespace

TEST_CASE("the message about a display name says its first mistake and the remedy") {
  CHECK(said_of_display_name("Raiders") == "accepted");
  CHECK(said_of_display_name("") == "too-short: is empty. Write 1 to 24 characters.");
  CHECK(said_of_display_name(std::string(25, 'a')) ==
        "too-long: has 25 characters. Shorten it to at most 24.");
  CHECK(said_of_display_name(" a") == "invalid: starts with a space. Remove the space.");
  CHECK(said_of_display_name("a ") == "invalid: ends with a space. Remove the space.");
  CHECK(said_of_display_name("é  b") ==
        "invalid: has two spaces in a row, the second at character 3. Write a single space.");
  CHECK(said_of_display_name("é\u200Bb") ==
        "invalid: contains U+200B at character 2, an invisible or bidirectional formatting "
        "character. Remove it.");
  CHECK(said_of_display_name("\u0301a").starts_with(
      "invalid: contains `\u0301` (U+0301) at character 1, a "
      "combining mark with no letter before it. Remove it, or "
      "put the letter before it."));
  CHECK(said_of_display_name("a\u2800").starts_with(
      "invalid: contains `\u2800` (U+2800) at character 2, a character that looks like a space."));
  // The first of several violations is reported.
  CHECK(said_of_display_name("a  \u200b").starts_with("invalid: has two spaces"));
  CHECK(said_of_display_name("\u200b  a").starts_with("invalid: contains U+200B"));
  CHECK(said_of_display_name("a\t\u200b") ==
        "invalid: contains U+0009 at character 2, which is white space but not a plain space. "
        "Remove it, or replace it with a plain space.");
  CHECK(said_of_display_name(std::string_view{"a\0b", 3}) ==
        "invalid: contains U+0000 at character 2, a control character. Remove it.");
}

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

TEST_CASE("the message about a header's name shows its first wrong character, and never the rest") {
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

TEST_CASE("the headers that the service sets itself are reserved in any case") {
  for (const auto name : {"Host", "host", "CONTENT-LENGTH", "Transfer-encoding", "connection"})
    CHECK(is_reserved_field(name));
  for (const auto name : {"", "Hos", "Host ", "Host2", "X-Host", "Content_Length", "Authorization"})
    CHECK_FALSE(is_reserved_field(name));
}

TEST_CASE("a glob is any text in segments of which `**` is the only one with two stars in a row") {
  for (const auto glob : {"*"sv, "**"sv, "/**"sv, "/"sv, "a//b"sv, "**/*.js"sv, "*a*"sv, "a/**/b"sv,
                          "**/**"sv, "*/*"sv, "ä/雪"sv, "a\0b"sv, "{a,b}"sv, "a?"sv})
    CHECK(said_of_glob(glob) == "accepted");
  for (const auto glob :
       {"***"sv, "a**"sv, "**a"sv, "/a/**.js"sv, "a**/b"sv, "**/***"sv, "***/a"sv, "a\0**"sv})
    CHECK(check_glob(glob, 8)->code == "invalid");
}

TEST_CASE("the message about a glob shows its wrong segment, cut") {
  CHECK(said_of_glob("") == "invalid: is empty. Write a pattern, such as `**` for every path.");
  CHECK(said_of_glob("assets/**.js")
            .starts_with("invalid: has two `*` in a row in the segment "
                         "`**.js`. "));
  CHECK(said_of_glob("a/**bcdefghi/c").find("`**bcdefg…`") != std::string::npos);
  CHECK(said_of_glob("\u202E**").find("`\\u202e**`") != std::string::npos);
}

TEST_CASE("runs of `**` of any length in a glob are folded into one") {
  CHECK(folded_glob("") == "");
  CHECK(folded_glob("/") == "/");
  CHECK(folded_glob("**/**") == "**");
  CHECK(folded_glob("**/**/**/a") == "**/a");
  CHECK(folded_glob("a/**/**/b/**/**") == "a/**/b/**");
  CHECK(folded_glob("/**/**/") == "/**/");
  CHECK(folded_glob("**//**") == "**//**");
  CHECK(folded_glob("**/*/**") == "**/*/**");
  CHECK(folded_glob("a//b") == "a//b");
}

TEST_CASE("property: folding leaves no run, changes no verdict and nothing the second time") {
  REQUIRE(rc::check([] {
    const auto glob = *any_glob();
    const auto folded = folded_glob(glob);
    RC_ASSERT(("/" + folded + "/").find("/**/**/") == std::string::npos);
    RC_ASSERT(folded_glob(folded) == folded);
    RC_ASSERT(check_glob(folded, 8).has_value() == check_glob(glob, 8).has_value());
  }));
}
