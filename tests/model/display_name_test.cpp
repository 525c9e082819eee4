// Which names are refused stands in validation/display_names.json; here is what is said of them.
#include "model/display_name.hpp"

#include "tests/catch.hpp"

using namespace matchcloud::model;

namespace {

std::string said_of(std::string_view name) {
  const auto fault = check_display_name(name, 24);
  return fault ? std::string(fault->code) + ": " + fault->predicate : "accepted";
}

} // namespace

TEST_CASE("what is wrong with a display name continues the member's name") {
  CHECK(said_of("Raiders") == "accepted");
  CHECK(said_of("") == "too-short: is empty. Write 1 to 24 characters.");
  CHECK(said_of(std::string(25, 'a')) == "too-long: has 25 characters. Shorten it to at most 24.");
  CHECK(said_of(" a") == "invalid: starts with a space. Remove the space.");
  CHECK(said_of("a ") == "invalid: ends with a space. Remove the space.");
  CHECK(said_of("é  b") ==
        "invalid: has two spaces in a row, the second at character 3. Write a single space.");
  CHECK(said_of("é\u200Bb") ==
        "invalid: contains U+200B at character 2, an invisible or bidirectional formatting "
        "character. Remove it, or write a plain space where it parts words.");
  CHECK(said_of(std::string_view{"a\0b", 3}) ==
        "invalid: contains U+0000 at character 2, a control character. Remove it, or write a plain "
        "space where it parts words.");
}
