#include "app/config/config.hpp"
#include "app/config/fault_table.hpp"
#include "app/reports/operation_table.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"

#include <fstream>
#include <iterator>
#include <string>

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
  INFO("print it with `matchcloud serve --fault-points`");
  CHECK(has_table(page("docs/faults.md"), "fault-points", fault_point_table()));
}

TEST_CASE("the table of operations in docs/interface.md is the program's") {
  INFO("print it with `matchcloud serve --operations`");
  CHECK(has_table(page("docs/interface.md"), "operations", operation_table()));
}

TEST_CASE("the table of who may call what in docs/security.md is the program's") {
  INFO("print it with `matchcloud serve --access`");
  CHECK(has_table(page("docs/security.md"), "access", access_table()));
}

} // namespace
} // namespace matchcloud::app
