#include "model/catalog/catalog.hpp"

#include "tests/catch.hpp"

#include <string>

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

} // namespace
} // namespace matchcloud::model
