#include "app/reports/health_report.hpp"

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

} // namespace
} // namespace matchcloud::app
