#include "model/records/line_splitter.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace matchcloud::model;
using lines = std::vector<std::pair<std::uint64_t, std::string>>;

const std::string too_long = "(too long)";

void take(lines& into, const input_line& line) {
  if (!line.too_long) REQUIRE(line.text.data()[line.text.size()] == '\0');
  into.emplace_back(line.number,
                    line.too_long ? too_long : std::string{line.text.data(), line.text.size()});
}

/// The lines of a text that arrives in blocks of the given sizes, used in turn.
lines split(const std::string& text, const std::vector<std::size_t>& sizes) {
  lines found;
  line_splitter splitter;
  std::size_t turn = 0;
  for (std::size_t at = 0; at < text.size();) {
    auto block = text.substr(at, sizes[turn++ % sizes.size()]);
    at += block.size();
    splitter.feed(block);
    while (const auto line = splitter.next())
      take(found, *line);
  }
  while (const auto line = splitter.last())
    take(found, *line);
  return found;
}

lines split(const std::string& text) {
  return split(text, {text.size() + 1});
}

} // namespace

TEST_CASE("lines end with LF or CRLF, keep their numbers and may be empty") {
  CHECK(split("").empty());
  CHECK(split("\n\r\n\n").empty());
  CHECK(split("a\nb\r\n\n\r\nc") == lines{{1, "a"}, {2, "b"}, {5, "c"}});
  CHECK(split("a\rb\n\r\r\n") == lines{{1, "a\rb"}, {2, "\r"}});
}

TEST_CASE("a byte order mark is skipped at the start only") {
  CHECK(split("\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}\n") == lines{{1, "{}"}, {2, "\xEF\xBB\xBF{}"}});
  CHECK(split("\xEF\xBB\xBF").empty());
}

TEST_CASE("a line over the limit is reported and its bytes are not kept") {
  const std::string longest(line_limit_bytes, 'x');
  CHECK(split(longest + "\r\n" + longest) == lines{{1, longest}, {2, longest}});
  CHECK(split("\xEF\xBB\xBF" + longest + "\r\nb", {7}) == lines{{1, longest}, {2, "b"}});
  CHECK(split("a\n" + longest + "x\nb\n") == lines{{1, "a"}, {2, too_long}, {3, "b"}});
  const std::string endless(std::size_t{1024} * 1024, 'x');
  CHECK(split(endless, {1000}) == lines{{1, too_long}});
}

TEST_CASE("property: the lines do not depend on how the bytes are cut") {
  REQUIRE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "\n", "\r", "\r\n", "a", "bc", "\xEF\xBB\xBF", std::string(line_limit_bytes / 2, 'x'),
        std::string(line_limit_bytes, 'y')));
    std::string text;
    for (const auto& piece : pieces)
      text += piece;
    const auto sizes = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 5'000)));
    RC_ASSERT(split(text, sizes) == split(text));
  }));
}
