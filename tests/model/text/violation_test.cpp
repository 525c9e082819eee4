#include "model/text/violation.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/whole_file.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace {

using namespace matchcloud;

TEST_CASE("docs/validation.md lists each code of findings once, in the order of the table") {
  const auto page = fixtures::read_whole(fixtures::source_path("docs/validation.md"));
  const auto begin = page.find("## All codes");
  REQUIRE(begin != std::string::npos);
  std::string listed;
  for (auto at = page.find("\n| `", begin); at != std::string::npos;
       at = page.find("\n| `", at + 1)) {
    // The codes stand in the first column.
    const auto cell = page.substr(at + 2, page.find(" | ", at + 2) - at - 2);
    for (auto tick = cell.find('`'); tick != std::string::npos;) {
      const auto end = cell.find('`', tick + 1);
      listed.append(cell, tick + 1, end - tick - 1).append(" ");
      tick = cell.find('`', end + 1);
    }
  }
  std::string known;
  for (const auto code : model::finding_codes)
    known.append(code).append(" ");
  CHECK(listed == known);
}

TEST_CASE("each code of findings is written in kebab case, once") {
  std::set<std::string_view> seen;
  for (const auto code : model::finding_codes) {
    INFO(code);
    CHECK(seen.insert(code).second);
    CHECK(std::ranges::all_of(code, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; }));
  }
}

} // namespace
