#include "actors/avatar/avatar_state.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <utility>

namespace matchcloud::actors {
namespace {

using namespace fixtures;

waiter waiting(std::uint64_t exchange) {
  return {{}, {exchange, 1}, nullptr};
}

avatars_loaded list_of(std::uint8_t game, std::int64_t revision) {
  avatars_loaded loaded{id_of(game)};
  loaded.list = {std::make_shared<const std::string>("list"), revision};
  return loaded;
}

store::moved_games moved_to(std::uint8_t game, std::int64_t revision) {
  return {revision, {{id_of(game), revision}}, false};
}

/// The test reports the results of loads to the state.
struct bench {
  avatar_state state;

  /// Ends a load. Returns the waiters to answer.
  std::vector<std::uint64_t> end(const avatars_loaded& loaded) {
    std::vector<std::uint64_t> told;
    for (const auto& each : state.end(loaded))
      told.push_back(each.exchange.exchange);
    return told;
  }
};

TEST_CASE("without an actor: all who ask for a list wait for one load") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.wait(id_of(1), waiting(2));
  REQUIRE(on.state.next() == id_of(1));
  on.state.begin();
  CHECK_FALSE(on.state.next());
  on.state.wait(id_of(1), waiting(3));
  CHECK(on.end(list_of(1, 5)) == std::vector<std::uint64_t>{1, 2, 3});
  CHECK_FALSE(on.state.next());
}

TEST_CASE("without an actor: lists are loaded one after the other, in order") {
  bench on;
  for (std::uint8_t game = 1; game <= 3; ++game)
    on.state.wait(id_of(game), waiting(game));
  for (std::uint8_t game = 1; game <= 3; ++game) {
    REQUIRE(on.state.next() == id_of(game));
    on.state.begin();
    CHECK(on.end(list_of(game, 1)) == std::vector<std::uint64_t>{game});
  }
}

TEST_CASE("without an actor: who comes after a list moved does not get what is older") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.begin();
  on.state.on(moved_to(1, 7));
  on.state.wait(id_of(1), waiting(2));
  CHECK(on.end(list_of(1, 6)) == std::vector<std::uint64_t>{1});
  REQUIRE(on.state.next() == id_of(1));
  on.state.begin();
  CHECK(on.end(list_of(1, 7)) == std::vector<std::uint64_t>{2});
}

TEST_CASE("without an actor: a load that saw the move after all serves those who came later, too") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.begin();
  on.state.on(moved_to(1, 7));
  on.state.wait(id_of(1), waiting(2));
  CHECK(on.end(list_of(1, 8)) == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("without an actor: a failure is told to all") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.begin();
  on.state.on(moved_to(1, 7));
  on.state.wait(id_of(1), waiting(2));
  avatars_loaded failed{id_of(1)};
  failed.failure = std::make_shared<const base::error>(base::error{base::errc::store_failed, "x"});
  CHECK(on.end(failed) == std::vector<std::uint64_t>{1, 2});
  CHECK_FALSE(on.state.next());
}

TEST_CASE("without an actor: a load that cannot begin is refused to all who wait for it") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.wait(id_of(2), waiting(2));
  CHECK(on.state.refuse().size() == 1);
  CHECK(on.state.next() == id_of(2));
}

TEST_CASE("without an actor: a load that everything moved under stays old, whatever moves then") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.begin();
  store::moved_games all;
  all.all = true;
  on.state.on(all);
  on.state.on(moved_to(1, 5));
  on.state.wait(id_of(1), waiting(2));
  CHECK(on.end(list_of(1, 6)) == std::vector<std::uint64_t>{1});
  CHECK(on.state.next() == id_of(1));
}

} // namespace
} // namespace matchcloud::actors
