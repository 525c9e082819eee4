#include "model/records/csv_line.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <string>
#include <vector>

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
