#include "model/latency/unkept_entries.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>

namespace {

using namespace matchcloud::model;

const latency_cell place = place_cell({48.86, 2.35});
const latency_cell network =
    network_cell(ip_address::from_v4(std::array<std::uint8_t, 4>{192, 0, 2, 1}));

/// An entry that as many have reported as `reporters` has bits, each 20 ms.
latency_entry entry_of(latency_cell cell, std::uint16_t reporters, std::uint16_t region = 0) {
  latency_entry made{cell, 5'000, region, 0, reporters, {}};
  for (unsigned left = reporters; left != 0; left &= left - 1)
    made.values.add(20, 1);
  return made;
}

constexpr std::uint16_t four = 0b0000'1111;
constexpr std::uint16_t five = 0b0001'1111;
constexpr std::uint16_t six = 0b0011'1111;

TEST_CASE("Networks are shown from five reporters on, wider cells always") {
  CHECK_FALSE(is_shown(entry_of(network, four)));
  CHECK(is_shown(entry_of(network, five)));
  CHECK(is_shown(entry_of(place, 1)));
  CHECK(is_shown(entry_of(asn_cell(1), 0)));
}

TEST_CASE("Values of one cell and region are one entry until it is taken") {
  unkept_entries unkept{10};
  auto entry = entry_of(place, 0b01);
  unkept.note(entry, 0, 20, 1);
  entry.reporters = 0b11;
  entry.minute = 5'001;
  unkept.note(entry, 0b01, 30, 1);
  CHECK(unkept.size() == 1);
  const auto taken = unkept.take();
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].cell == place);
  CHECK(taken[0].values.weight() == Approx(2));
  CHECK(taken[0].reporters == 0b11);
  CHECK(taken[0].minute == 5'001);
  CHECK(unkept.size() == 0);
  CHECK(unkept.take().empty());
  // What is noted afterwards is only what is new.
  unkept.note(entry, 0b11, 40, 0.5);
  CHECK(unkept.take()[0].values.weight() == Approx(0.5));
}

TEST_CASE("A network is noted as a whole when the fifth player has reported, and not before") {
  unkept_entries unkept{10};
  unkept.note(entry_of(network, 1), 0, 20, 1);
  unkept.note(entry_of(network, four), four >> 1U, 20, 1);
  CHECK(unkept.size() == 0);
  auto entry = entry_of(network, five);
  entry.contributed = 512;
  unkept.note(entry, four, 20, 1);
  REQUIRE(unkept.find(network, 0) != nullptr);
  CHECK(unkept.find(network, 0)->values == entry.values);
  CHECK(unkept.find(network, 0)->contributed == 512);
  unkept.take();
  unkept.note(entry_of(network, six), five, 20, 1);
  CHECK(unkept.find(network, 0)->values.weight() == Approx(1));
  CHECK(unkept.find(network, 1) == nullptr);
}

TEST_CASE("What a network contributes is noted where the network is, up to what fits") {
  unkept_entries unkept{10};
  unkept.note_contribution(network, 0, 256);
  CHECK(unkept.size() == 0);
  unkept.note_whole(entry_of(network, five));
  unkept.note_contribution(network, 0, 256);
  unkept.note_contribution(network, 0, 256);
  CHECK(unkept.find(network, 0)->contributed == 512);
  unkept.note_contribution(network, 0, 65'535);
  CHECK(unkept.find(network, 0)->contributed == 65'535);
}

TEST_CASE("Beyond the limit nothing more is noted, which is counted, until some are taken") {
  unkept_entries unkept{2};
  for (std::uint16_t region = 0; region < 4; ++region)
    unkept.note(entry_of(place, 1, region), 0, 20, 1);
  CHECK(unkept.size() == 2);
  CHECK(unkept.left_out() == 2);
  // What has a place is still noted.
  unkept.note(entry_of(place, 1, 1), 1, 30, 1);
  CHECK(unkept.find(place, 1)->values.weight() == Approx(2));
  CHECK(unkept.left_out() == 2);
  unkept.take();
  unkept.note(entry_of(place, 1, 3), 0, 20, 1);
  CHECK(unkept.size() == 1);
  CHECK(unkept.left_out() == 2);
}

TEST_CASE("Where nothing is kept, nothing is noted, and that is no loss") {
  unkept_entries unkept{0};
  unkept.note(entry_of(place, 1), 0, 20, 1);
  unkept.note_whole(entry_of(place, 1));
  CHECK(unkept.size() == 0);
  CHECK(unkept.left_out() == 0);
}

} // namespace
