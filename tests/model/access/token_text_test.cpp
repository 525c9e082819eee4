#include "model/access/token_text.hpp"

#include "model/access/hidden_passwords.hpp"
#include "model/access/new_token.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <rapidcheck.h>
#include <set>
#include <string>

namespace matchcloud::model {
namespace {

std::string text_of(token_kind kind, std::uint8_t fill) {
  std::array<std::uint8_t, 32> random{};
  random.fill(fill);
  return make_token_text(kind, random);
}

TEST_CASE("a token is its prefix, its kind and 49 letters and digits") {
  for (std::size_t i = 0; i < token_kind_names.size(); ++i) {
    const auto kind = static_cast<token_kind>(i);
    const auto prefix = "mc_" + std::string{token_kind_names[i]} + "_";
    for (const std::uint8_t fill : {0, 1, 127, 255}) {
      const auto text = text_of(kind, fill);
      CAPTURE(text);
      CHECK(text.starts_with(prefix));
      CHECK(text.size() == prefix.size() + 49);
      CHECK(std::all_of(text.begin() + static_cast<std::ptrdiff_t>(prefix.size()), text.end(),
                        [](unsigned char c) { return std::isalnum(c) != 0; }));
      CHECK(check_token_text(text) == kind);
    }
  }
  // The least and the greatest number, as another program writes them.
  CHECK(text_of(token_kind::game, 0).substr(8, 43) == std::string(43, '0'));
  CHECK(text_of(token_kind::game, 255) == "mc_game_"
                                          "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1"
                                          "4U5QWW");
}

TEST_CASE("different random bytes make different tokens") {
  REQUIRE(
      rc::check([](const std::array<std::uint8_t, 32>& a, const std::array<std::uint8_t, 32>& b) {
        RC_ASSERT((a == b) == (make_token_text(token_kind::player, a) ==
                               make_token_text(token_kind::player, b)));
      }));
  std::set<std::string> made;
  for (int i = 0; i < 1'000; ++i)
    made.insert(make_token_text(token_kind::admin));
  CHECK(made.size() == 1'000);
}

TEST_CASE("a changed character, two that changed places and a cut are found by the checksum") {
  REQUIRE(rc::check([](const std::array<std::uint8_t, 32>& random) {
    const auto good = make_token_text(token_kind::studio, random);
    const auto at = *rc::gen::inRange<std::size_t>(10, good.size());
    auto wrong = good;
    wrong[at] = *rc::gen::elementOf(std::string{"0123456789ABCXYZabcxyz"});
    RC_ASSERT(check_token_text(wrong).has_value() == (wrong == good));
    auto swapped = good;
    std::swap(swapped[at], swapped[at - 1]);
    if (at > 10) RC_ASSERT(check_token_text(swapped).has_value() == (swapped == good));
    auto other_kind = good;
    other_kind.replace(3, 6, "player");
    RC_ASSERT(check_token_text(other_kind).error() == token_defect::checksum);
  }));
}

TEST_CASE("a text that has not the form of a token is told apart from a mistyped token") {
  const auto good = text_of(token_kind::viewer, 7);
  for (const auto& text :
       {std::string{}, std::string{"mc_"}, std::string{"mc_viewer_"},
        good.substr(0, good.size() - 1), good + "0", " " + good, "MC" + good.substr(2),
        "mc_root_" + good.substr(10), good.substr(0, 20) + "-" + good.substr(21),
        std::string{"Bearer"}, std::string(4'096, 'x')}) {
    CAPTURE(text);
    REQUIRE_FALSE(check_token_text(text));
    CHECK(check_token_text(text).error() == token_defect::form);
  }
}

TEST_CASE("a text is shown without its tokens, be they whole, cut or mistyped") {
  const auto token = text_of(token_kind::game, 9);
  const std::string shown = "mc_game_***";
  CHECK(redact_tokens(token) == shown);
  CHECK(redact_tokens("say " + token + " twice: " + token + ".") ==
        "say " + shown + " twice: " + shown + ".");
  CHECK(redact_tokens(token.substr(0, 20)) == shown);
  CHECK(redact_tokens("mc_admin_" + token) == "mc_admin_***");
  CHECK(redact_tokens(shown) == shown);
  CHECK(redact_tokens(token + token) == shown);
  CHECK(redact_tokens("/" + token + "/x") == "/" + shown + "/x");
  for (const std::string text : {"", "mc", "mc_", "mc_game", "mc_x_abc", "mc_mc_mc_", "a_b_c"})
    CHECK(redact_tokens(text) == text);
  CHECK(has_token(token));
  CHECK(has_token("x" + token.substr(0, 12)));
  CHECK_FALSE(has_token("mc_game"));
  CHECK_FALSE(has_token("mc_other_" + token.substr(8)));
}

TEST_CASE("redacting leaves nothing of a token, whatever stands around it") {
  REQUIRE(rc::check([](const std::string& before, const std::string& behind,
                       const std::array<std::uint8_t, 32>& random) {
    const auto token = make_token_text(token_kind::player, random);
    const auto shown = redact_tokens(before + token + behind);
    RC_ASSERT(shown.find(token.substr(10, 12)) == std::string::npos);
  }));
}

TEST_CASE("a text is shown without the passwords of its URLs") {
  CHECK(hide_passwords("s3://AKIA:se/cret@bucket/x") == "s3://***@bucket/x");
  CHECK(hide_passwords("'https://me:a@b:c@host:1' is not valid (\"http://x:y@z\").") ==
        "'https://***@host:1' is not valid (\"http://***@z\").");
  CHECK(hide_passwords("AKIA:secret@bucket, and u:p@h") == "***@bucket, and ***@h");
  CHECK(hide_passwords("://:@") == "://***@");
}

TEST_CASE("a text without passwords stays as it is") {
  for (const std::string text :
       {"", "@", "a@b", "postgresql://[USER@]HOST[:PORT]/DATABASE", "https://user@host:1/",
        "127.0.0.1:8080", "s3://bucket/a", "one two", "a:b c@d"}) {
    CAPTURE(text);
    CHECK(hide_passwords(text) == text);
  }
}

} // namespace
} // namespace matchcloud::model
