// What commands print of the store's and the machine's state.
#include "app/reports/health_report.hpp"

#include "app/reports/store_reports.hpp"
#include "app/reports/text_table.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

namespace matchcloud::app {
namespace {

health_findings some() {
  return {
      {finding_level::error, "--loops x: no number\n--auth y: unknown", "", "configuration"},
      {finding_level::warning, "no file", "give one", "geoip"},
      {finding_level::ok, "127.0.0.1:0 is free", "", "ports"},
  };
}

TEST_CASE("findings are a line each, with what to do, and counted") {
  CHECK(health_text(some(), false) == "error    configuration  --loops x: no number\n"
                                      "                        --auth y: unknown\n"
                                      "warning  geoip          no file; give one\n"
                                      "ok       ports          127.0.0.1:0 is free\n"
                                      "1 error, 1 warning, 1 ok\n");
  CHECK(health_text({}, false) == "0 errors, 0 warnings, 0 ok\n");
}

TEST_CASE("the level of a finding has a colour where that is wanted") {
  const auto text = health_text(some(), true);
  CHECK(text.starts_with("\x1b[1;31merror  \x1b[0m  configuration"));
  CHECK(text.find("\x1b[1;33mwarning\x1b[0m") != std::string::npos);
  CHECK(text.find("\x1b[32mok     \x1b[0m") != std::string::npos);
}

TEST_CASE("the JSON of findings has stable members") {
  CHECK(health_json(some()) ==
        R"({"findings":[{"check":"configuration","level":"error",)"
        R"("message":"--loops x: no number\n--auth y: unknown","advice":null},)"
        R"({"check":"geoip","level":"warning","message":"no file","advice":"give one"},)"
        R"({"check":"ports","level":"ok","message":"127.0.0.1:0 is free","advice":null}],)"
        R"("errors":1,"warnings":1,"ok":1})"
        "\n");
  const auto odd = health_json({{finding_level::ok, "bad \xff byte", "", "geoip"}});
  CHECK(e2e::parse_json(odd).IsObject());
}

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

TEST_CASE("without differences the report has only numbers") {
  object_report report;
  report.found.images = 1;
  CHECK(table_of(report, 80) ==
        "1 images and 0 exports are referenced, 0 missing, 0 unreferenced\n");
}

TEST_CASE("the report counts removed objects if they were to be removed") {
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
