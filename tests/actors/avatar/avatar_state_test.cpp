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
  avatars_loaded loaded;
  loaded.game_id = id_of(game);
  loaded.revision = revision;
  loaded.json = std::make_shared<const std::string>("list " + std::to_string(revision));
  return loaded;
}

store::moved_games moved_to(std::uint8_t game, std::int64_t revision) {
  return {revision, {{id_of(game), revision}}, false};
}

/// A shard's state. The test reports the results of loads to it.
struct bench {
  avatar_metrics metrics;
  avatar_state state{1'000'000, metrics};

  /// Ends a load and keeps its result, as the actor does. Returns the waiters to answer.
  std::vector<std::uint64_t> end(const avatars_loaded& loaded) {
    const auto ended = state.end(loaded);
    if (loaded.json && ended.is_current) state.keep(loaded);
    std::vector<std::uint64_t> told;
    for (const auto& each : ended.waiters)
      told.push_back(each.exchange.exchange);
    return told;
  }
};

TEST_CASE("without an actor: all who ask for a list wait for one load, which is kept") {
  bench on;
  CHECK_FALSE(on.state.find(id_of(1)));
  on.state.wait(id_of(1), waiting(1));
  on.state.wait(id_of(1), waiting(2));
  REQUIRE(on.state.next() == id_of(1));
  on.state.begin();
  CHECK_FALSE(on.state.next());
  on.state.wait(id_of(1), waiting(3));
  CHECK(on.end(list_of(1, 5)) == std::vector<std::uint64_t>{1, 2, 3});
  REQUIRE(on.state.find(id_of(1)));
  CHECK(on.state.find(id_of(1))->json() == "list 5");
  CHECK_FALSE(on.state.next());
  CHECK(on.metrics.cache_hits.get() == 2);
  CHECK(on.metrics.cached_bytes.get() > 0);
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
  CHECK_FALSE(on.state.find(id_of(1)));
  REQUIRE(on.state.next() == id_of(1));
  on.state.begin();
  CHECK(on.end(list_of(1, 7)) == std::vector<std::uint64_t>{2});
  CHECK(on.state.find(id_of(1)));
}

TEST_CASE("without an actor: a load that saw the move after all serves those who came later, too") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.begin();
  on.state.on(moved_to(1, 7));
  on.state.wait(id_of(1), waiting(2));
  CHECK(on.end(list_of(1, 8)) == std::vector<std::uint64_t>{1, 2});
  CHECK(on.state.find(id_of(1)));
}

TEST_CASE("without an actor: a failure is told to all, and nothing is kept") {
  bench on;
  on.state.wait(id_of(1), waiting(1));
  on.state.begin();
  on.state.on(moved_to(1, 7));
  on.state.wait(id_of(1), waiting(2));
  avatars_loaded failed;
  failed.game_id = id_of(1);
  failed.failure = std::make_shared<const base::error>(base::error{base::errc::store_failed, "x"});
  CHECK(on.end(failed) == std::vector<std::uint64_t>{1, 2});
  CHECK_FALSE(on.state.find(id_of(1)));
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
  CHECK_FALSE(on.state.end(list_of(1, 6)).is_current);
}

TEST_CASE("without an actor: an offer stands as long as its list is cached") {
  avatar_metrics metrics;
  std::optional<avatar_state> state{std::in_place, 1'000U, metrics};
  const auto kept = state->keep(list_of(1, 5));
  CHECK(kept->stands());
  state->on(moved_to(1, 6));
  CHECK_FALSE(kept->stands());

  const auto again = state->keep(list_of(1, 6));
  const auto newer = state->keep(list_of(1, 7));
  CHECK_FALSE(again->stands());
  CHECK(newer->stands());
  state->keep(list_of(2, 1));
  state->keep(list_of(3, 1));
  state->keep(list_of(4, 1)); // four do not fit
  CHECK_FALSE(newer->stands());

  const auto last = state->keep(list_of(5, 1));
  state->forget_all();
  CHECK_FALSE(last->stands());
  const auto of_the_dead = state->keep(list_of(6, 1));
  CHECK(of_the_dead->stands());
  state.reset();
  CHECK_FALSE(of_the_dead->stands());

  avatar_state without_room{1, metrics};
  CHECK_FALSE(without_room.keep(list_of(1, 5))->stands());
}

TEST_CASE("without an actor: what moved is forgotten, alone or with all others") {
  bench on;
  for (std::uint8_t game = 1; game <= 2; ++game) {
    on.state.wait(id_of(game), waiting(game));
    on.state.begin();
    on.end(list_of(game, 5));
  }
  on.state.on(moved_to(1, 5)); // a revision already seen
  CHECK(on.state.find(id_of(1)));
  on.state.on(moved_to(1, 6));
  CHECK_FALSE(on.state.find(id_of(1)));
  CHECK(on.state.find(id_of(2)));
  store::moved_games all;
  all.all = true;
  on.state.on(all);
  CHECK_FALSE(on.state.find(id_of(2)));
  CHECK(on.metrics.cached_bytes.get() == 0);
}

} // namespace
} // namespace matchcloud::actors
