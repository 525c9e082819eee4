#include "http/tls/tls_context.hpp"
#include "tests/app/docs/tables.hpp"
#include "tests/catch.hpp"
#include "tests/printed_part.hpp"

#include <string>
#include <string_view>

namespace matchcloud::app {
namespace {

using fixtures::check_part;
using fixtures::check_table;

TEST_CASE("the tables of the pages are the program's", "[tables]") {
  check_table("docs/configuration.md", "keys", config_table());
  check_table("docs/faults.md", "fault-points", fault_point_table());
  check_table("docs/faults.md", "fault-presets", fault_preset_table());
  check_table("docs/logs.md", "log-events", log_event_table());
  check_table("docs/interface.md", "operations", operation_table());
  check_table("docs/interface.md", "problems", problem_table());
  check_table("docs/security.md", "access", access_table());
  check_table("docs/security.md", "audit-actions", audit_action_table());
  check_table("docs/validation.md", "members", model::member_table());
  check_table("docs/commands.md", "commands", command_table());
}

TEST_CASE("the alerts that causes express are those of the causes", "[tables]") {
  check_part("deploy/prometheus/rules.yml", "      # <causes>\n", "      # </causes>\n",
             alert_rules());
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
  const auto text = fixtures::read_whole(fixtures::source_path("docs/security.md"));
  CHECK(text.find("| suites of TLS 1.3 | " + listed(offered::suites_1_3)) != text.npos);
  CHECK(text.find("| suites of TLS 1.2 | " + listed(offered::suites_1_2)) != text.npos);
  CHECK(text.find("| groups | " + listed(offered::groups)) != text.npos);
}

} // namespace
} // namespace matchcloud::app
