#include "model/latency/voices.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <rapidcheck.h>

namespace {

using namespace matchcloud::model;

voices by_chance() {
  voices made;
  for (int count = *rc::gen::inRange(0, 60); count > 0; --count)
    merge(made, std::array{voice{*rc::gen::inRange<std::uint16_t>(0, 3),
                                 *rc::gen::inRange<std::uint16_t>(0, 5),
                                 *rc::gen::inRange<std::uint32_t>(0, 40) * 100'000'000U,
                                 *rc::gen::inRange<std::uint32_t>(0, 90'000)}});
  return made;
}

TEST_CASE("Voices are united in any order, and twice as once") {
  REQUIRE(rc::check("any voices", [] {
    const auto a = by_chance();
    const auto b = by_chance();
    const auto c = by_chance();
    auto left = a;
    merge(left, b);
    merge(left, c);
    auto right = c;
    merge(right, b);
    merge(right, a);
    RC_ASSERT(left == right);
    merge(left, b);
    RC_ASSERT(left == right);
    for (std::uint16_t region = 0; region < 3; ++region)
      RC_ASSERT(voices_for(left, region).size() <= voice_limit);
  }));
}

TEST_CASE("A speaker's newer voice replaces its older one") {
  voices all{{0, 10, 7, 100}};
  merge(all, std::array{voice{0, 20, 7, 101}});
  CHECK(all == voices{{0, 20, 7, 101}});
  merge(all, std::array{voice{0, 30, 7, 99}});
  CHECK(all == voices{{0, 20, 7, 101}});
}

TEST_CASE("A region that has moved is another one") {
  const learned_entry old{place_cell({48, 2}), "fra", {50, 8}, {{0, 10, 7, 100}}};
  auto moved = old;
  moved.region_at = {51, 8};
  moved.voices = {{0, 20, 8, 90}};
  auto into = old;
  merge(into, moved);
  CHECK(into == moved);
  CHECK(into.minute() == 90);
}

TEST_CASE("Networks are shown from five clients on") {
  learned_entry one{network_cell(*parse_ip_address("192.0.2.1")), "fra", {50, 8}, {}};
  for (std::uint32_t client = 0; client < 4; ++client)
    one.voices.push_back({0, 10, client, 1});
  CHECK_FALSE(one.is_shown());
  one.voices.push_back({0, 10, 4, 1});
  CHECK(one.is_shown());
}

} // namespace
