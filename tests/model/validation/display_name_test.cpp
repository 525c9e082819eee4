// The refused names are listed in validation/display_names.json; these tests check the messages.
#include "model/validation/text_checks.hpp"

#include "tests/catch.hpp"

using namespace matchcloud::model;

namespace {

std::string said_of_display_name(std::string_view name) {
  const auto violation = check_display_name(name, 24);
  return violation ? std::string(violation->code) + ": " + violation->predicate : "accepted";
}

} // namespace

TEST_CASE("what is wrong with a display name continues the member's name") {
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
