#include "model/catalog/catalog.hpp"

#include "model/catalog/catalog_document.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <string>

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

namespace matchcloud::model {
namespace {

uuid id(char last) {
  return *parse_uuid(std::string{"00000000-0000-4000-8000-00000000000"} + last);
}

const catalog known{.games = {{id('1'), "Ember"},
                              {id('2'), "ember"},
                              {id('3'), "Tide Turtle"},
                              {id('4'), "Twin"},
                              {id('5'), "Twin"}}};

void check_refused(std::string_view text, const std::string& why) {
  const auto found = find_meant_game(known, text);
  REQUIRE(!found);
  CHECK(found.error().code == base::errc::game_not_found);
  CHECK(found.error().detail == why);
}

TEST_CASE("a game is found by its id, which need not be in the catalog") {
  CHECK(find_meant_game(known, to_string(id('3'))) == id('3'));
  CHECK(find_meant_game(known, to_string(id('9'))) == id('9'));
}

TEST_CASE("a game is found by its name, first as it is written and then in any case") {
  CHECK(find_meant_game(known, "Ember") == id('1'));
  CHECK(find_meant_game(known, "ember") == id('2'));
  CHECK(find_meant_game(known, "TIDE turtle") == id('3'));
}

TEST_CASE("a name of several games is refused with the ids of them") {
  check_refused("EMBER", "`EMBER` is the name of several games; use the id of one: `Ember` (" +
                             to_string(id('1')) + "), `ember` (" + to_string(id('2')) + ")");
  check_refused("Twin", "`Twin` is the name of several games; use the id of one: `Twin` (" +
                            to_string(id('4')) + "), `Twin` (" + to_string(id('5')) + ")");
}

TEST_CASE("a name that no game has is refused with a close one, or with those known") {
  check_refused("Tide Trutle",
                "no game has the name or id `Tide Trutle`; did you mean `Tide Turtle` (" +
                    to_string(id('3')) + ")?");
  const auto found = find_meant_game(known, "zzz");
  REQUIRE(!found);
  CHECK(found.error().detail.find("; games: `Ember` (" + to_string(id('1')) + "), ") !=
        std::string::npos);
  const auto none = find_meant_game({}, "zzz");
  REQUIRE(!none);
  CHECK(none.error().detail == "no game has the name or id `zzz`; games: none");
}

TEST_CASE("of games and namespaces, the first ten are listed by name") {
  catalog many;
  for (char last = 'a'; last <= 'f'; ++last)
    many.games.push_back({id(last), std::string{"Game "} + last});
  many.namespaces.push_back({id('1'), id('a'), "prod", {}, {}});
  many.namespaces.push_back({id('2'), id('9'), "eu", {}, {}});
  CHECK(list_namespaces(many) == "namespaces: `prod` of `Game a` (" + to_string(id('1')) +
                                     "), `eu` (" + to_string(id('2')) + ")");
  CHECK(list_games(many).find("and") == std::string::npos);
  for (char last = '1'; last <= '6'; ++last)
    many.games.push_back({id(last), std::string{"Game "} + last});
  const auto listed = list_games(many);
  CHECK(listed.starts_with("games: `Game a` (" + to_string(id('a')) + "), `Game b` ("));
  CHECK(listed.ends_with("`Game 4` (" + to_string(id('4')) + ") and 2 more"));
  CHECK(list_games({}) == "games: none");
  CHECK(list_namespaces({}) == "namespaces: none");
}

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
