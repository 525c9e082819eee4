#include "model/catalog/catalog.hpp"
#include "model/catalog/catalog_document.hpp"
#include "tests/catch.hpp"

#include <algorithm>

namespace {

using namespace matchcloud::model;

uuid numbered(std::uint8_t n) {
  uuid id;
  id.bytes[15] = n;
  return id;
}

catalog sample() {
  catalog c;
  c.regions = {{"fra", "Frankfurt", "P", {}}, {"lon", "London", "P", {}}, {"lon2", "L2", "P", {}}};
  c.games = {{numbered(1), "one"}, {numbered(3), "three"}};
  c.namespaces = {{numbered(1), numbered(1), "prod", {"a.example", "b.example"}, {}},
                  {numbered(2), numbered(1), "staging", {"c.example"}, {}}};
  c.index_domains();
  return c;
}

TEST_CASE("lookups find what is there and nothing else") {
  const auto c = sample();
  for (const auto& each : c.regions)
    CHECK(c.find_region(each.region_id) == &each);
  for (const auto* absent : {"", "a", "lo", "lon1", "lon22", "zzz"})
    CHECK(c.find_region(absent) == nullptr);
  for (const auto& each : c.games)
    CHECK(c.find_game(each.game_id) == &each);
  for (const std::uint8_t absent : {0, 2, 4})
    CHECK(c.find_game(numbered(absent)) == nullptr);
  for (const auto& each : c.namespaces)
    CHECK(c.find_namespace(each.namespace_id) == &each);
  CHECK(c.find_namespace(numbered(3)) == nullptr);
}

TEST_CASE("a domain finds the namespace that registered it, whole and exact") {
  const auto c = sample();
  CHECK(c.find_namespace_of_domain("a.example") == &c.namespaces[0]);
  CHECK(c.find_namespace_of_domain("b.example") == &c.namespaces[0]);
  CHECK(c.find_namespace_of_domain("c.example") == &c.namespaces[1]);
  for (const auto* absent : {"", "example", "x.a.example", "A.example", "a.example."})
    CHECK(c.find_namespace_of_domain(absent) == nullptr);
}

TEST_CASE("an empty catalog has nothing") {
  const catalog c;
  CHECK(c.find_region("lon") == nullptr);
  CHECK(c.find_game(uuid{}) == nullptr);
  CHECK(c.find_namespace(uuid{}) == nullptr);
  CHECK(c.find_namespace_of_domain("") == nullptr);
}

TEST_CASE("the default tiers are the seven known ones, in order") {
  CHECK(default_tiers().size() == 7);
  CHECK(std::ranges::is_sorted(default_tiers()));
  for (const auto* tier :
       {"basic-4d1", "basic-2d1", "basic-1d1", "basic-1d2", "basic-1d4", "basic-1d8", "basic-1d16"})
    CHECK(std::ranges::binary_search(default_tiers(), std::string{tier}));
}

TEST_CASE("the demo catalog has a game, two namespaces and twelve regions, London among them") {
  const auto merged = merge(catalog{}, demo_catalog());
  REQUIRE(merged.has_value());
  CHECK(merged->regions.size() == 12);
  CHECK(merged->tiers == default_tiers());
  const auto* london = merged->find_region("lon");
  REQUIRE(london);
  CHECK(london->datacenter_coord == coordinates{51.5074, -0.1278});
  const auto game_id = parse_uuid("00000000-0000-4000-8000-000000000001");
  REQUIRE(merged->find_game(*game_id));
  CHECK(merged->find_game(*game_id)->display_name == "Demo Game");
  const auto* prod = merged->find_namespace(*parse_uuid("00000000-0000-4000-8000-000000000011"));
  const auto* staging = merged->find_namespace(*parse_uuid("00000000-0000-4000-8000-000000000012"));
  REQUIRE(prod);
  REQUIRE(staging);
  CHECK(prod->name == "prod");
  CHECK(staging->name == "staging");
  CHECK(prod->game_id == *game_id);
  CHECK(staging->game_id == *game_id);
}

} // namespace
