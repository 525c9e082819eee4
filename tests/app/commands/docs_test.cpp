#include "app/config/config.hpp"
#include "app/config/fault_table.hpp"
#include "app/config/log_table.hpp"
#include "app/reports/operation_table.hpp"
#include "app/reports/problem_table.hpp"
#include "http/tls/tls_context.hpp"
#include "model/validation/member_table.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace matchcloud::app {
namespace {

std::string page(const std::string& name) {
  std::ifstream in{fixtures::source_path(name)};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

bool has_table(const std::string& text, const std::string& mark, const std::string& table) {
  return text.find("<!-- " + mark + " -->\n" + table + "<!-- /" + mark + " -->") !=
         std::string::npos;
}

TEST_CASE("the table of keys in docs/configuration.md is the program's") {
  INFO("print it with `matchcloud serve --keys`");
  CHECK(has_table(page("docs/configuration.md"), "keys", config_table()));
}

TEST_CASE("the table of fault points in docs/faults.md is the program's") {
  INFO("print it with `matchcloud serve --fault-points` and `--fault-presets`");
  CHECK(has_table(page("docs/faults.md"), "fault-points", fault_point_table()));
  CHECK(has_table(page("docs/faults.md"), "fault-presets", fault_preset_table()));
}

TEST_CASE("the table of events in docs/logs.md is the program's") {
  INFO("print it with `matchcloud serve --log-events`");
  CHECK(has_table(page("docs/logs.md"), "log-events", log_event_table()));
}

TEST_CASE("the table of operations in docs/interface.md is the program's") {
  INFO("print it with `matchcloud serve --operations`");
  CHECK(has_table(page("docs/interface.md"), "operations", operation_table()));
}

TEST_CASE("the table of problems in docs/interface.md is the program's") {
  INFO("print it with `matchcloud serve --problems`");
  CHECK(has_table(page("docs/interface.md"), "problems", problem_table()));
}

TEST_CASE("the access table in docs/security.md is the program's") {
  INFO("print it with `matchcloud serve --access`");
  CHECK(has_table(page("docs/security.md"), "access", access_table()));
}

TEST_CASE("the table of members in docs/validation.md is the program's") {
  INFO("print it with `matchcloud schema --table`");
  CHECK(has_table(page("docs/validation.md"), "members", model::member_table({})));
}

/// The names of a list of OpenSSL's, as a page has them.
std::string listed(std::string_view names) {
  std::string text = "`";
  for (const char each : names)
    text += each == ':' ? std::string{"`, `"} : std::string{each};
  return text + "` |";
}

TEST_CASE("the table of what TLS offers in docs/security.md is the program's") {
  using offered = http::tls_context;
  const auto text = page("docs/security.md");
  CHECK(text.find("| suites of TLS 1.3 | " + listed(offered::suites_1_3)) != text.npos);
  CHECK(text.find("| suites of TLS 1.2 | " + listed(offered::suites_1_2)) != text.npos);
  CHECK(text.find("| groups | " + listed(offered::groups)) != text.npos);
}

} // namespace
} // namespace matchcloud::app
