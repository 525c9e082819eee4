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

std::string readme() {
  std::ifstream in{fixtures::source_path("README.md")};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

TEST_CASE("the README's table of keys is the program's") {
  INFO("print it with `matchcloud serve --keys`");
  CHECK(readme().find("<!-- keys -->\n" + config_table() + "<!-- /keys -->") != std::string::npos);
}

TEST_CASE("the README's table of fault points is the program's") {
  INFO("print it with `matchcloud serve --fault-points`");
  CHECK(readme().find("<!-- fault-points -->\n" + fault_point_table() + "<!-- /fault-points -->") !=
        std::string::npos);
}

TEST_CASE("the README's table of operations is the program's") {
  INFO("print it with `matchcloud serve --operations`");
  CHECK(readme().find("<!-- operations -->\n" + operation_table() + "<!-- /operations -->") !=
        std::string::npos);
}

} // namespace
} // namespace matchcloud::app
