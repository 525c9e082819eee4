#include "actors/avatar/rendered_lists.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;

rendered_list list_of(std::int64_t revision, std::size_t bytes = 10) {
  return {std::make_shared<const std::string>(bytes, 'x'), revision};
}

store::moved_games moved_to(std::uint8_t game, std::int64_t revision) {
  return {revision, {{id_of(game), revision}}, false};
}

struct bench {
  avatar_metrics metrics;
  rendered_lists lists{10'000, metrics};

  void keep(std::uint8_t game, rendered_list list) {
    lists.begin(id_of(game));
    lists.end(id_of(game), std::move(list));
  }
  bool has(std::uint8_t game) { return lists.find(id_of(game)).json != nullptr; }
};

TEST_CASE("a list is found as it was kept last") {
  bench on;
  CHECK_FALSE(on.has(1));
  on.keep(1, list_of(5));
  const auto newer = list_of(6);
  on.keep(1, newer);
  CHECK(on.lists.find(id_of(1)).json == newer.json);
  CHECK(on.lists.find(id_of(1)).revision == 6);
  CHECK(on.metrics.cached_bytes.get() > 10);
}

TEST_CASE("what moved is dropped, alone or with all others") {
  bench on;
  on.keep(1, list_of(5));
  on.keep(2, list_of(5));
  on.lists.forget(moved_to(1, 5)); // a revision already seen
  CHECK(on.has(1));
  on.lists.forget(moved_to(1, 6));
  CHECK_FALSE(on.has(1));
  CHECK(on.has(2));
  store::moved_games all;
  all.all = true;
  on.lists.forget(all);
  CHECK_FALSE(on.has(2));
  CHECK(on.metrics.cached_bytes.get() == 0);
}

TEST_CASE("a list that is older than what its game moved to meanwhile is not kept") {
  bench on;
  for (const auto loaded : {5, 6}) {
    on.lists.begin(id_of(1));
    on.lists.forget(moved_to(1, 6));
    on.lists.forget(moved_to(2, 9));
    on.lists.end(id_of(1), list_of(loaded));
    CHECK(on.has(1) == (loaded == 6));
  }
}

TEST_CASE("a list is not kept if any may have moved meanwhile, and the next one is") {
  bench on;
  on.lists.begin(id_of(1));
  on.lists.begin(id_of(1)); // of another event loop
  store::moved_games all;
  all.all = true;
  on.lists.forget(all);
  on.lists.end(id_of(1), list_of(5));
  on.lists.end(id_of(1), {}); // failed
  CHECK_FALSE(on.has(1));
  on.keep(1, list_of(5));
  CHECK(on.has(1));
}

TEST_CASE("lists are evicted and dropped by who can free them, without the lock") {
  bench on;
  const auto dropped = list_of(5);
  const std::weak_ptr<const std::string> watched{dropped.json};
  on.keep(1, dropped);
  {
    const auto held = on.lists.forget(moved_to(1, 6));
    CHECK_FALSE(on.has(1));
    CHECK(watched.lock());
  }
  for (std::uint8_t game = 1; game <= 9; ++game)
    on.keep(game, list_of(5, 3'000)); // three fit
  CHECK(on.metrics.cached_bytes.get() <= 10'000);
  CHECK(on.has(9));
  CHECK_FALSE(on.has(1));
  on.keep(10, list_of(5, 20'000));
  CHECK_FALSE(on.has(10));
}

} // namespace
} // namespace matchcloud::actors
