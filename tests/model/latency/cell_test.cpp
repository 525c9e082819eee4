#include "model/latency/cell.hpp"

#include "model/latency/predictor.hpp"

#include "tests/catch.hpp"

#include <array>
#include <rapidcheck.h>
#include <string>

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

std::optional<latency_cell> read_again(latency_cell cell) {
  return parse_latency_cell(name_of(cell.kind()), to_string(cell));
}

TEST_CASE("A cell's text is how people write what it groups by") {
  CHECK(to_string(network_of("81.2.69.142")) == "81.2.69.0/24");
  CHECK(to_string(network_of("0.0.0.1")) == "0.0.0.0/24");
  CHECK(to_string(network_of("255.255.255.255")) == "255.255.255.0/24");
  CHECK(to_string(network_of("2001:db8:0:1::1")) == "2001:db8::/48");
  CHECK(to_string(network_of("::1")) == "::/48");
  CHECK(to_string(network_of("ffff:ffff:ffff:ffff::")) == "ffff:ffff:ffff::/48");
  CHECK(to_string(place_cell({51.5, -0.12})) == "51.625,-0.125");
  CHECK(name_of(cell_kind::network) == "network");
}

TEST_CASE("A cell is read from its text, whatever it groups by") {
  REQUIRE(rc::check("any cell", [] {
    const auto octets = *rc::gen::arbitrary<std::array<std::uint8_t, 4>>();
    ip_address v6;
    for (auto& each : v6.bytes)
      each = *rc::gen::arbitrary<std::uint8_t>();
    const coordinates where{*rc::gen::inRange(-90'000, 90'001) / 1e3,
                            *rc::gen::inRange(-180'000, 180'001) / 1e3};
    for (const auto& cell :
         {network_cell(ip_address::from_v4(octets)), network_cell(v6), place_cell(where)})
      RC_ASSERT(read_again(cell) == cell);
  }));
}

TEST_CASE("An address stands for its network, and any point for its place") {
  CHECK(parse_latency_cell("network", "81.2.69.142") == network_of("81.2.69.1"));
  CHECK(parse_latency_cell("network", "81.2.69.142/24") == network_of("81.2.69.1"));
  CHECK(parse_latency_cell("network", "2001:DB8::9/48") == network_of("2001:db8::1"));
  CHECK(parse_latency_cell("place", "51.5,-0.12") == place_cell({51.5, -0.12}));
  CHECK(parse_latency_cell("place", "-90,180") == place_cell({-90, 180}));
}

TEST_CASE("What is no cell is not read as one") {
  for (const auto& [kind, text] :
       std::initializer_list<std::pair<const char*, const char*>>{{"network", ""},
                                                                  {"network", "81.2.69"},
                                                                  {"network", "81.2.69.0/16"},
                                                                  {"network", "81.2.69.0/"},
                                                                  {"network", "2001:db8::/24"},
                                                                  {"network", "81.2.69.0/48"},
                                                                  {"network", "/24"},
                                                                  {"place", "51.5"},
                                                                  {"place", "91,0"},
                                                                  {"place", "0,181"},
                                                                  {"place", "51.5,"},
                                                                  {"place", "a,b"},
                                                                  {"asn", "13335"},
                                                                  {"country", "GB"},
                                                                  {"town", "GB"},
                                                                  {"", ""}}) {
    CAPTURE(kind, text);
    CHECK_FALSE(parse_latency_cell(kind, text));
  }
}

} // namespace
