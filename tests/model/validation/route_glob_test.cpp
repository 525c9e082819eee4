#include "model/validation/text_checks.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

using namespace matchcloud::model;
using namespace std::string_view_literals;

namespace {

std::string said_of_glob(std::string_view glob) {
  const auto violation = check_glob(glob, 8);
  return violation ? std::string(violation->code) + ": " + violation->predicate : "accepted";
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

TEST_CASE("a glob is any text in segments of which `**` is the only one with two stars in a row") {
  for (const auto glob : {"*"sv, "**"sv, "/**"sv, "/"sv, "a//b"sv, "**/*.js"sv, "*a*"sv, "a/**/b"sv,
                          "**/**"sv, "*/*"sv, "ä/雪"sv, "a\0b"sv, "{a,b}"sv, "a?"sv})
    CHECK(said_of_glob(glob) == "accepted");
  for (const auto glob :
       {"***"sv, "a**"sv, "**a"sv, "/a/**.js"sv, "a**/b"sv, "**/***"sv, "***/a"sv, "a\0**"sv})
    CHECK(check_glob(glob, 8)->code == "invalid");
}

TEST_CASE("what is wrong with a glob is said with its segment, cut") {
  CHECK(said_of_glob("") == "invalid: is empty. Write a pattern, such as `**` for every path.");
  CHECK(said_of_glob("assets/**.js")
            .starts_with("invalid: has two `*` in a row in the segment "
                         "`**.js`. "));
  CHECK(said_of_glob("a/**bcdefghi/c").find("`**bcdefg…`") != std::string::npos);
  CHECK(said_of_glob("\u202E**").find("`\\u202e**`") != std::string::npos);
}

TEST_CASE("runs of any depth fold to one") {
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
