#include "app/reports/store_reports.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

namespace matchcloud::app {
namespace {

object_report some_report() {
  object_report report;
  report.found.images = 12;
  report.found.exports = 3;
  report.found.missing = {{"media/3f/a.png", 0}, {"exports/b/1", 4'000}};
  report.found.unreferred = {{"media/40/c.png", 17}};
  report.found.young = 5;
  report.age_h = 24;
  return report;
}

TEST_CASE("the objects that are not as they should be are listed and counted") {
  CHECK(table_of(some_report(), 0) == "IS            OBJECT          BYTES\n"
                                      "missing       media/3f/a.png  0\n"
                                      "missing       exports/b/1     4000\n"
                                      "unreferenced  media/40/c.png  17\n"
                                      "12 images and 3 exports are referenced, 2 missing, 1 "
                                      "unreferenced, 5 younger than 24 h ignored\n");
}

TEST_CASE("where all objects are as they should be only numbers are told") {
  object_report report;
  report.found.images = 1;
  CHECK(table_of(report, 80) ==
        "1 images and 0 exports are referenced, 0 missing, 0 unreferenced\n");
}

TEST_CASE("what was removed is told if that was wanted") {
  object_report report;
  report.removed = 0;
  CHECK(table_of(report, 80).ends_with("0 unreferenced, 0 removed\n"));
  report = some_report();
  report.removed = 2;
  CHECK(table_of(report, 0).ends_with("1 unreferenced, 2 removed, 5 younger than 24 h ignored\n"));
}

TEST_CASE("the JSON of a comparison of objects has stable members") {
  using names = std::vector<std::string>;
  auto report = some_report();
  const auto text = json_of(report);
  CHECK(text.find('\n') == text.size() - 1);
  const auto document = e2e::parse_json(text);
  CHECK(e2e::member_names(document) ==
        names{"images", "exports", "missing", "unreferred", "young"});
  CHECK(document["images"].GetUint64() == 12);
  CHECK(document["exports"].GetUint64() == 3);
  CHECK(document["young"].GetUint64() == 5);
  REQUIRE(document["missing"].Size() == 2);
  REQUIRE(document["unreferred"].Size() == 1);
  const auto& missing = document["missing"][1];
  CHECK(e2e::member_names(missing) == names{"name", "bytes"});
  CHECK(e2e::text_at(missing, "name") == "exports/b/1");
  CHECK(missing["bytes"].GetUint64() == 4'000);
  report.removed = 2;
  CHECK(e2e::parse_json(json_of(report))["removed"].GetUint64() == 2);
}

} // namespace
} // namespace matchcloud::app
