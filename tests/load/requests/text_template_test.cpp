#include "load/requests/text_template.hpp"

#include "base/failure.hpp"
#include "model/text/uuid.hpp"
#include "tests/catch.hpp"

#include <set>

namespace matchcloud::load {
namespace {

std::string filled(std::string_view text, std::mt19937_64& engine,
                   const std::vector<std::string>& names = {},
                   const std::vector<std::string>& saved = {}) {
  const auto made = base::attempt([&] { return text_template::parse(text, names); });
  REQUIRE(made);
  std::string to;
  made->append(to, {engine, "the line", saved});
  return to;
}

TEST_CASE("placeholders are filled, and other braces stay", "[load]") {
  std::mt19937_64 engine{1};
  CHECK(filled("", engine).empty());
  for (const auto* const plain : {"a", R"({"a":{"b":[{}]}})", "{ x }", "{", "}", "{}", "a{1}",
                                  "{\"line\"}", "{a b}", "{line", "{int:1"})
    CHECK(filled(plain, engine) == plain);
  CHECK(filled("{{line}", engine) == "{line}");
  CHECK(filled("<{line}>{line}", engine) == "<the line>the line");
  CHECK(filled("{url}/{tag}", engine, {"url", "tag"}, {"http://h/", "t"}) == "http://h//t");
  CHECK(filled("{int:5-5}", engine) == "5");
  CHECK(filled("{pick:a}{pick:}", engine) == "a");
  CHECK(model::parse_uuid(filled("{uuid}", engine)));
}

TEST_CASE("what is made is spread over all that is allowed, and follows from the seed", "[load]") {
  const auto draw = [](std::string_view text) {
    std::mt19937_64 engine{7};
    std::vector<std::string> drawn;
    for (int i = 0; i < 200; ++i)
      drawn.push_back(filled(text, engine));
    return drawn;
  };
  const auto kinds = [&](std::string_view text) {
    const auto drawn = draw(text);
    return std::set<std::string>(drawn.begin(), drawn.end());
  };
  CHECK(kinds("{int:8-11}") == std::set<std::string>{"8", "9", "10", "11"});
  CHECK(kinds("{pick:x,y z,}") == std::set<std::string>{"x", "y z", ""});
  CHECK(kinds("{uuid}").size() == 200);
  CHECK(kinds("{int:0-18446744073709551615}").size() == 200);
  CHECK(draw("{uuid}{int:1-100}") == draw("{uuid}{int:1-100}"));
}

TEST_CASE("a placeholder that is none is refused", "[load]") {
  for (const auto* const wrong :
       {"{uid}", "{int}", "{int:}", "{int:1}", "{int:1-}", "{int:-1-2}", "{int:a-b}", "{uuid:1}",
        "{picks:a}", "{int:0-18446744073709551616}"}) {
    CAPTURE(wrong);
    const auto made = base::attempt([&] { return text_template::parse(wrong); });
    REQUIRE_FALSE(made);
    CHECK(made.error().detail.starts_with("has `" + std::string{wrong} + "`"));
  }
}

TEST_CASE("a template knows what it can become", "[load]") {
  const auto slash = text_template::parse("/a b/{line}");
  CHECK(slash.begins_with('/'));
  CHECK(slash.uses_line());
  CHECK_FALSE(slash.is_random());
  CHECK_FALSE(slash.consists_of(base::target_characters));
  CHECK_FALSE(text_template::parse("/{pick:a,b c}").consists_of(base::target_characters));
  CHECK(text_template::parse("/{pick:a,b}").consists_of(base::target_characters));
  const std::vector<std::string> names{"url"};
  CHECK(text_template::parse("{url}", names).begins_with_saved());
  CHECK_FALSE(text_template::parse("plain").is_random());
  CHECK_FALSE(text_template::parse("{url}", names).is_random());
  CHECK(text_template::parse("{uuid}").is_random());
}

} // namespace
} // namespace matchcloud::load
