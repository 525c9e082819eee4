#include "app/reports/text_table.hpp"

#include "tests/catch.hpp"

namespace matchcloud::app {
namespace {

text_table sample() {
  return {{{"ID"}, {"NAME", true}, {"PLACES", true}},
          {{"1", "\u00e9t\u00e9", "all"}, {"22", "a name that is long", "lon, fra, nrt, syd"}}};
}

TEST_CASE("columns are aligned by characters, with nothing at the end of a line") {
  CHECK(sample().render(0) == "ID  NAME                 PLACES\n"
                              "1   \u00e9t\u00e9                  all\n"
                              "22  a name that is long  lon, fra, nrt, syd\n");
}

TEST_CASE("lines are shortened to fit, ids never") {
  CHECK(sample().render(30) == "ID  NAME          PLACES\n"
                               "1   \u00e9t\u00e9           all\n"
                               "22  a name that\u2026  lon, fra, n\u2026\n");
  CHECK(sample().render(1) == "ID  NAME      PLACES\n"
                              "1   \u00e9t\u00e9       all\n"
                              "22  a name \u2026  lon, fr\u2026\n");
}

TEST_CASE("a table without rows is its titles") {
  CHECK(text_table{{{"TIER"}}, {}}.render(80) == "TIER\n");
}

} // namespace
} // namespace matchcloud::app
