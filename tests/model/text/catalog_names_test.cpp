#include "model/text/catalog_names.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::model {
namespace {

TEST_CASE("names are of visible characters in any script, up to their limit") {
  for (const std::string name :
       {"Frankfurt", " a ", "M\xC3\xBCnchen", "\xE6\x9D\xB1\xE4\xBA\xAC"}) {
    CAPTURE(name);
    CHECK(is_name(name));
  }
  CHECK(is_name(std::string(128, 'a')));
  for (const std::string name : {"", "  ", "\xC3", "a\xED\xA0\x80"}) {
    CAPTURE(name);
    CHECK_FALSE(is_name(name));
  }
  CHECK_FALSE(is_name(std::string(129, 'a')));
}

TEST_CASE("names have nothing that breaks or reorders the line that shows them") {
  for (const std::string hostile :
       {"\n", "\x7F", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAE", "\xE2\x81\xA6",
        "\xE2\x80\x8B", "\xEF\xBF\xBE"}) {
    CAPTURE(hostile);
    CHECK_FALSE(is_name("Frank" + hostile + "furt"));
    CHECK_FALSE(is_name("M\xC3\xBC" + hostile));
  }
}

} // namespace
} // namespace matchcloud::model
