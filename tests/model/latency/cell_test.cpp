#include "model/latency/cell.hpp"

#include "model/latency/predictor.hpp"
#include "tests/catch.hpp"

#include <rapidcheck.h>

namespace {

using namespace matchcloud::model;

latency_cell network_of(std::string_view address) {
  return network_cell(*parse_ip_address(address));
}

TEST_CASE("A network is a /24 of IPv4 or a /48 of IPv6") {
  CHECK(network_of("192.0.2.1") == network_of("192.0.2.255"));
  CHECK_FALSE(network_of("192.0.2.1") == network_of("192.0.3.1"));
  CHECK(network_of("::ffff:192.0.2.1") == network_of("192.0.2.9"));
  CHECK(network_of("2001:db8:1::1") == network_of("2001:db8:1:ffff::9"));
  CHECK_FALSE(network_of("2001:db8:1::1") == network_of("2001:db8:2::1"));
  CHECK_FALSE(network_of("::1") == network_of("0.0.0.1"));
  CHECK(network_of("::1").kind() == cell_kind::network);
}

TEST_CASE("A place is a square that its middle is in") {
  REQUIRE(rc::check("any coordinates", [] {
    const coordinates where{*rc::gen::inRange(-90'000, 90'001) / 1e3,
                            *rc::gen::inRange(-180'000, 180'001) / 1e3};
    const auto cell = place_cell(where);
    RC_ASSERT(cell.kind() == cell_kind::place);
    RC_ASSERT(place_cell(middle_of(cell)) == cell);
    RC_ASSERT(great_circle_m(where, middle_of(cell)) < 20'000);
  }));
  CHECK(place_cell({10, 180}) == place_cell({10, -180}));
}

} // namespace
