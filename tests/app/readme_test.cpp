#include "app/config.hpp"

#include "tests/catch.hpp"

#include <fstream>
#include <iterator>
#include <string>

namespace matchcloud::app {
namespace {

TEST_CASE("the README's table of keys is the program's") {
  std::ifstream in{MATCHCLOUD_TEST_FILES "/../../README.md"};
  const std::string readme{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  REQUIRE(!readme.empty());
  INFO("print it with `matchcloud serve --keys`");
  CHECK(readme.find("<!-- keys -->\n" + config_table() + "<!-- /keys -->") != std::string::npos);
}

} // namespace
} // namespace matchcloud::app
