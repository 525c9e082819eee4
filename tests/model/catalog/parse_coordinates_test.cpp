#include "model/catalog/catalog.hpp"

#include "tests/catch.hpp"

#include <string>

namespace matchcloud::model {
namespace {

TEST_CASE("coordinates are two numbers of degrees that are on earth, and nothing else") {
  CHECK(parse_coordinates("51.5", "-0.12") == coordinates{51.5, -0.12});
  CHECK(parse_coordinates("-90", "180") == coordinates{-90, 180});
  CHECK(parse_coordinates("1e1", "0") == coordinates{10, 0});
  for (const std::string wrong :
       {"", " 1", "1 ", "+1", "1,5", "0x1", "nan", "inf", "-inf", "north"}) {
    CHECK_FALSE(parse_coordinates(wrong, "0"));
    CHECK_FALSE(parse_coordinates("0", wrong));
  }
  CHECK_FALSE(parse_coordinates("90.0001", "0"));
  CHECK_FALSE(parse_coordinates("0", "-180.0001"));
}

} // namespace
} // namespace matchcloud::model
