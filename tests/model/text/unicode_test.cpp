#include "model/text/unicode.hpp"

#include "tests/catch.hpp"

using namespace matchcloud::model;

TEST_CASE("a character is shown with its place, and with its looks where it has any") {
  CHECK(describe_character("a(b", 1) == "`(` (U+0028) at character 2");
  CHECK(describe_character("éé", 2) == "`é` (U+00E9) at character 2");
  CHECK(describe_character("é b", 2) == "a space (U+0020) at character 2");
  CHECK(describe_character("\u202E", 0) == "U+202E at character 1");
  CHECK(describe_character("`", 0) == "U+0060 at character 1");
  CHECK(describe_character(std::string_view{"\0", 1}, 0) == "U+0000 at character 1");
  CHECK(describe_character("a\xFF", 1) == "a byte that is not UTF-8 at character 2");
}

TEST_CASE("a quoted excerpt is told from what is quoted, whatever marks it has") {
  CHECK(quoted_excerpt("abc", 3) == "`abc`");
  CHECK(quoted_excerpt("abcd", 3) == "`abc…`");
  CHECK(quoted_excerpt("", 3) == "`\"\"`");
  CHECK(quoted_excerpt("say \"a\"", 64) == "`say \"a\"`");
  CHECK(quoted_excerpt("a`b", 64) == "\"a`b\"");
  CHECK(quoted_excerpt("`. Write \"c\"\\", 64) == R"("`. Write \"c\"\\")");
  CHECK(quoted_excerpt("abc`", 3) == "`abc…`");
}

TEST_CASE("an excerpt has at most the given number of characters, and escapes invisible ones") {
  CHECK(printable_excerpt("abc", 3) == "abc");
  CHECK(printable_excerpt("abcd", 3) == "abc…");
  CHECK(printable_excerpt("aéb\tc", 5) == "aéb\\u0009c");
  CHECK(printable_excerpt("aéb\tc", 4) == "aéb\\u0009…");
  CHECK(printable_excerpt("aéb\tc", 2) == "aé…");
  CHECK(printable_excerpt("\u009b\x7f\u202e", 3) == "\\u009b\\u007f\\u202e");
  CHECK(printable_excerpt("a\xff", 9) == "a…");
  CHECK(printable_excerpt("a", 0) == "…");
  CHECK(printable_excerpt("", 0).empty());
}

TEST_CASE("every version of the library has the sets that decide about names") {
  const auto count = [](bool (*is_in)(char32_t) noexcept) {
    int members = 0;
    for (char32_t c = 0; c <= 0x10FFFF; ++c)
      members += is_in(c) ? 1 : 0;
    return members;
  };
  // Unicode guarantees some of these sets; the others have not changed since version 14.
  CHECK(count(is_white_space) == 25);
  CHECK(count(is_control) == 65);
  CHECK(count(is_noncharacter) == 66);
  CHECK(count(is_variation_selector) == 260);
  CHECK(count(is_invisible) == 4'177);
  CHECK(count(is_bidirectional) == 12);
  // Later versions have more of these.
  CHECK(count(is_combining_mark) >= 2'408);
  CHECK(count(is_virama) >= 63);
}
