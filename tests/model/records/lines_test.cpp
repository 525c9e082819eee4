#include "model/records/line_splitter.hpp"

#include "model/records/csv_line.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <rapidcheck.h>
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

namespace {

using namespace matchcloud::model;
using fields = std::vector<std::string>;

struct split_line {
  fields found;
  std::string finding;
};

split_line split_record(std::string line) {
  std::vector<std::string_view> found;
  const auto finding = split_csv_line(line, found);
  if (finding) return {{}, std::string{*finding}};
  return {{found.begin(), found.end()}, {}};
}

std::string joined(const fields& all) {
  std::string line;
  for (const auto& each : all) {
    if (&each != all.data()) line += ',';
    append_csv_field(line, each);
  }
  return line;
}

TEST_CASE("A line of CSV is split at its commas") {
  CHECK(split_record("").found == fields{""});
  CHECK(split_record("a").found == fields{"a"});
  CHECK(split_record(",").found == fields{"", ""});
  CHECK(split_record("a,,b,").found == fields{"a", "", "b", ""});
  CHECK(split_record(" a , b ").found == fields{" a ", " b "});
}

TEST_CASE("Quoted fields may have commas and doubled quotes") {
  CHECK(split_record(R"("")").found == fields{""});
  CHECK(split_record(R"("a,b",c)").found == fields{"a,b", "c"});
  CHECK(split_record(R"(x,"say ""yes"", then",y)").found == fields{"x", R"(say "yes", then)", "y"});
  CHECK(split_record(R"("""","")").found == fields{R"(")", ""});
}

TEST_CASE("A line with quotes at odd places is refused") {
  CHECK(split_record(R"(a,"b)").finding.starts_with("A quoted value does not end on its line."));
  CHECK(split_record(R"("b"")").finding.starts_with("A quoted value does not end on its line."));
  CHECK(split_record(R"("a"b,c)")
            .finding.starts_with("Text follows the quote at the end of a value."));
  CHECK(
      split_record(R"(a"b,c)").finding.starts_with("A value that is not quoted contains a quote."));
}

TEST_CASE("What is written as fields of CSV is read back") {
  REQUIRE(rc::check("any fields without line ends", [] {
    const auto text =
        rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab,\" \xC3"}));
    const auto all = *rc::gen::nonEmpty(rc::gen::container<fields>(text));
    RC_ASSERT(split_record(joined(all)).found == all);
  }));
}

} // namespace
