#include "app/reports/source_excerpt.hpp"

#include "model/text/unicode.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

namespace matchcloud::app {
namespace {

/// The printed excerpt for the first occurrence of `what`.
std::string shown(const std::string& text, const std::string& what) {
  const auto excerpt = excerpt_at(text, text.find(what));
  return excerpt.line + "\n" + excerpt.margin + excerpt.caret;
}

TEST_CASE("a string, a number or a word is underlined whole, anything else has one caret") {
  const std::string line = R"({"name": "a \" b", "n": -12.5e3, "t": true, "o": {"x": [1]}})";
  const auto caret = [&](const std::string& what) {
    return excerpt_at(line, line.find(what)).caret;
  };
  CHECK(caret(R"("a \" b")") == "^~~~~~~~");
  CHECK(caret("-12.5e3") == "^~~~~~~");
  CHECK(caret("true") == "^~~~");
  CHECK(caret("{\"x\"") == "^");
  CHECK(caret("[1]") == "^");
  CHECK(excerpt_at(line, line.size()).caret == "^");
}

TEST_CASE("a caret stands under its place whatever is before it") {
  CHECK(shown("a\n\t \t12,\nb", "12") == "\t \t12,\n\t \t^~");
  CHECK(shown("\"é\": 12", "12") == "\"é\": 12\n     ^~");
  CHECK(shown("\"日本\": 12", "12") == "\"日本\": 12\n        ^~");
  CHECK(shown("\"e\u0301\": 12", "12") == "\"e\u0301\": 12\n     ^~");
  CHECK(shown("\"日\"", "\"") == "\"日\"\n^~~~");
}

TEST_CASE("what cannot be seen, or would act on a terminal, is written out") {
  CHECK(shown("\"\x1b[31m\" 12", "12") == "\"\\u001b[31m\" 12\n             ^~");
  CHECK(shown("\"\u202e\" 12", "12") == "\"\\u202e\" 12\n         ^~");
  CHECK(shown("\"\xff\" 12", "12") == "\"\\xff\" 12\n       ^~");
  CHECK(shown("12\r\n13", "12") == "12\n^~");
  CHECK(shown("\r12", "12") == "\\u000d12\n      ^~");
}

TEST_CASE("of a long line only what is around the place is shown") {
  const std::string many(400, 'x');
  const auto begin = excerpt_at("12" + many, 0);
  CHECK(begin.line == "12" + many.substr(0, 98) + "…");
  CHECK(begin.margin.empty());
  const auto middle = excerpt_at(many + " 12 " + many, 401);
  CHECK(middle.line == "…" + many.substr(0, 49) + " 12 " + many.substr(0, 47) + "…");
  CHECK(middle.margin == std::string(51, ' '));
  CHECK(middle.caret == "^~");
  const auto end = excerpt_at(many + " 12", 401);
  CHECK(end.line == "…" + many.substr(0, 97) + " 12");
  CHECK(end.margin == std::string(99, ' '));
  // A token that continues beyond the excerpt is underlined up to the excerpt's end.
  CHECK(excerpt_at("\"" + many + "\"", 0).caret == "^" + std::string(99, '~'));
  CHECK(excerpt_at(std::string(100, 'x'), 0).line == std::string(100, 'x'));
}

TEST_CASE("property: any bytes give a bounded excerpt in UTF-8 without control characters") {
  REQUIRE(rc::check([](const std::string& text, std::uint8_t place) {
    const auto long_text = text + text + text + "e\u0301\u0301" + text;
    const auto excerpt = excerpt_at(long_text, place);
    for (const auto& part : {excerpt.line, excerpt.margin, excerpt.caret}) {
      RC_ASSERT(model::find_malformed_utf8(part) == part.npos);
      RC_ASSERT(model::count_code_points(part) <= 2 * excerpt_columns);
      for (const char c : part)
        RC_ASSERT(c == '\t' || static_cast<unsigned char>(c) >= ' ');
    }
    RC_ASSERT(excerpt.caret.starts_with('^'));
  }));
  // Characters without width are bounded too.
  std::string accents = "e";
  for (int i = 0; i < 10'000; ++i)
    accents += "\u0301";
  CHECK(excerpt_at(accents, 0).line.size() < 400);
}

} // namespace
} // namespace matchcloud::app
