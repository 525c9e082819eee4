#include "actors/avatar/avatar.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <functional>
#include <utility>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::errc;

model::avatar avatar_of(std::uint8_t game, std::uint8_t upload, std::string name) {
  model::avatar made;
  made.game_id = id_of(game);
  made.upload_id = id_of(upload);
  made.display_name = std::move(name);
  return made;
}

struct avatar_bench : deterministic_system {
  manual_pool pool;
  base::byte_budget budget{1024UL * 1024};
  avatar_metrics metrics;
  std::shared_ptr<fake_database> database = std::make_shared<fake_database>();
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor front = spawn<probe>(log);
  std::shared_ptr<avatar_lists> lists;
  /// Of two event loops.
  caf::actor here;
  caf::actor elsewhere;
  std::uint64_t last = 0;

  explicit avatar_bench(std::size_t cache_limit_bytes = 64 * 1024,
                        std::size_t list_limit_bytes = 64 * 1024) {
    database->content = *two_regions();
    database->content.games.push_back({id_of(2), "Other"});
    database->avatars = {avatar_of(1, 101, "Panda"), avatar_of(1, 102, "Owl"),
                         avatar_of(2, 103, "Fox")};
    avatar_settings settings{{cache_limit_bytes, list_limit_bytes}};
    settings.pool = &pool;
    settings.budget = &budget;
    settings.metrics = &metrics;
    settings.image_url = model::image_urls_below("http://cdn.example");
    settings.database = open_fake(database);
    lists = std::make_shared<avatar_lists>(std::move(settings));
    const auto catalog = std::make_shared<const model::catalog>(database->content);
    here = spawn<avatar>(lists, catalog);
    elsewhere = spawn<avatar>(lists, catalog);
    run();
  }
  ~avatar_bench() {
    pool.tasks.clear(); // tasks hold the actor
  }

  std::shared_ptr<ticket> ask(std::uint8_t game) { return ask_at(here, game); }
  std::shared_ptr<ticket> ask_at(const caf::actor& whom, std::uint8_t game) {
    auto request = std::make_shared<ticket>();
    send_as(front, whom, list_avatars{{++last, 1}, id_of(game), request});
    return request;
  }
  bool load() {
    const bool ran = pool.run_one();
    run();
    return ran;
  }
  void move(std::uint8_t game, std::int64_t revision) {
    store::moved_games moved;
    moved.games = {{id_of(game), revision}};
    lists->forget(moved);
  }
  void move_anything() {
    store::moved_games moved;
    moved.all = true;
    lists->forget(moved);
  }
};

TEST_CASE("the first request loads the list, the next gets the same bytes") {
  avatar_bench on;
  on.ask(1);
  CHECK(on.log->made.empty());
  REQUIRE(on.load());
  REQUIRE(on.log->made.size() == 1);
  CHECK(on.log->made[0].exchange == exchange_ref{1, 1});
  CHECK(on.log->made[0].json->starts_with(R"({"custom_avatars":[{"upload_id":")"));
  CHECK(on.log->made[0].json->find("Owl") != std::string::npos);
  CHECK(on.log->made[0].json->find("Fox") == std::string::npos);
  on.ask(1);
  REQUIRE(on.log->made.size() == 2);
  CHECK(on.log->made[1].json == on.log->made[0].json);
  CHECK(on.database->avatar_loads == 1);
  CHECK(on.metrics.cache_hits.get() == 1);
  CHECK(on.metrics.loads.get() == 1);
  CHECK(on.metrics.cached_bytes.get() > 0);
}

TEST_CASE("requests join a list that is being loaded") {
  avatar_bench on;
  for (int i = 0; i < 5; ++i)
    on.ask(1);
  on.ask(2);
  CHECK(on.pool.tasks.size() == 2);
  REQUIRE(on.load());
  CHECK(on.log->made.size() == 5);
  REQUIRE(on.load());
  CHECK(on.log->made.size() == 6);
  CHECK(on.database->avatar_loads == 2);
  CHECK(on.database->opened == 1);
  CHECK_FALSE(on.load());
}

TEST_CASE("an unknown game is told apart from one without avatars") {
  avatar_bench on;
  on.ask(9);
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.log->failed[0].error.code == errc::game_not_found);
  on.database->avatars.clear();
  on.ask(2);
  REQUIRE(on.load());
  REQUIRE(on.log->made.size() == 1);
  CHECK(*on.log->made[0].json == R"({"custom_avatars":[]})");
}

TEST_CASE("a removed game is not found, even if its list is cached") {
  avatar_bench on;
  on.ask(1);
  on.load();
  auto smaller = on.database->content;
  smaller.games.clear();
  caf::anon_send(on.here, catalog_changed{std::make_shared<const model::catalog>(smaller)});
  on.run();
  on.ask(1);
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.log->failed[0].error.code == errc::game_not_found);
}

TEST_CASE("a list loaded for one event loop serves the others") {
  avatar_bench on;
  on.ask(1);
  REQUIRE(on.load());
  on.ask_at(on.elsewhere, 1);
  CHECK_FALSE(on.load());
  REQUIRE(on.log->made.size() == 2);
  CHECK(on.log->made[1].json == on.log->made[0].json);
}

TEST_CASE("a list that two event loops wait for is read once") {
  avatar_bench on;
  on.ask(1);
  on.ask_at(on.elsewhere, 1);
  CHECK(on.pool.tasks.size() == 1);
  REQUIRE(on.load());
  CHECK(on.log->made.size() == 2);
  CHECK(on.metrics.loads.get() == 1);
}

TEST_CASE("the number of lists loaded at a time is bounded") {
  avatar_bench on;
  const auto games = std::uint8_t{avatar_lists::loads_at_once + 2};
  for (std::uint8_t game = 1; game <= games; ++game)
    on.lists->load(id_of(game), on.front);
  CHECK(on.pool.tasks.size() == avatar_lists::loads_at_once);
  on.load();
  CHECK(on.pool.tasks.size() == avatar_lists::loads_at_once);
  while (on.load()) {
  }
  CHECK(on.log->avatars_loaded.size() == games);
}

TEST_CASE("a list is loaded again once it moved, and only then") {
  avatar_bench on;
  on.ask(1);
  on.load();
  on.move(1, 1); // the loaded list already had that revision
  on.move(2, 9);
  on.ask(1);
  CHECK(on.log->made.size() == 2);

  on.database->avatars_revision = 2;
  on.database->avatars[0].display_name = "Red Panda";
  on.move(1, 2);
  CHECK(on.metrics.cached_bytes.get() == 0);
  on.ask(1);
  REQUIRE(on.load());
  REQUIRE(on.log->made.size() == 3);
  CHECK(on.log->made[2].json->find("Red Panda") != std::string::npos);
}

/// Calls `forget` while a list is read.
struct moving_bench : avatar_bench {
  std::function<void()> meanwhile;
  moving_bench() {
    database->while_reading_avatars = [this] {
      if (meanwhile) std::exchange(meanwhile, {})();
    };
  }
};

TEST_CASE("a request after a change never gets a load that began before it") {
  moving_bench on;
  on.ask(1);
  on.meanwhile = [&] {
    on.move(1, 2); // what is being read is older
    on.ask(1);
    on.ask_at(on.elsewhere, 1);
  };
  REQUIRE(on.load());
  REQUIRE(on.log->made.size() == 1);
  CHECK(on.log->made[0].exchange == exchange_ref{1, 1});
  CHECK(on.metrics.cached_bytes.get() == 0);
  on.database->avatars_revision = 2;
  on.database->avatars[0].display_name = "Red Panda";
  REQUIRE(on.load());
  REQUIRE(on.log->made.size() == 3);
  for (const auto i : {1U, 2U})
    CHECK(on.log->made[i].json->find("Red Panda") != std::string::npos);
  on.ask(1); // this list is kept
  CHECK(on.log->made.size() == 4);
}

TEST_CASE("after everything was forgotten, the next load is kept") {
  moving_bench on;
  on.ask(1);
  on.meanwhile = [&] {
    on.move_anything();
    on.ask(1);
    REQUIRE(on.load());
    CHECK(on.metrics.cached_bytes.get() > 0);
  };
  REQUIRE(on.load());
  CHECK(on.log->made.size() == 2);
  CHECK(on.metrics.cached_bytes.get() > 0);
  on.ask(1);
  CHECK(on.log->made.size() == 3);
}

TEST_CASE("a change that a load has seen does not discard it") {
  avatar_bench on;
  on.ask(1);
  on.database->avatars_revision = 2;
  on.move(1, 2);
  on.ask(1);
  REQUIRE(on.load()); // starts only now, so it reads revision 2
  CHECK(on.log->made.size() == 2);
  CHECK(on.database->avatar_loads == 1);
  on.ask(1);
  CHECK(on.log->made.size() == 3);
}

TEST_CASE("a full pool is answered with overloaded, and the next request tries again") {
  avatar_bench on;
  on.pool.full = true;
  on.ask(1);
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.log->failed[0].error.code == errc::overloaded);
  on.pool.full = false;
  on.ask(1);
  REQUIRE(on.load());
  CHECK(on.log->made.size() == 1);
}

TEST_CASE("a failing store is reported, and opened again for the next load") {
  avatar_bench on;
  on.database->failure = base::error{errc::store_failed, "disk on fire"};
  on.ask(1);
  on.ask(1);
  on.load();
  REQUIRE(on.log->failed.size() == 2);
  CHECK(on.log->failed[0].error.code == errc::store_failed);
  // Clients must not see the operator's paths.
  CHECK_FALSE(contains(on.log->failed[0].error.detail, "disk on fire"));
  on.database->failure.reset();
  on.ask(1);
  on.load();
  CHECK(on.log->made.size() == 1);
  CHECK(on.database->opened == 2);

  avatar_bench closed;
  closed.database->open_failure = base::error{errc::store_failed, "locked"};
  closed.ask(1);
  closed.load();
  REQUIRE(closed.log->failed.size() == 1);
  CHECK_FALSE(contains(closed.log->failed[0].error.detail, "locked"));
}

TEST_CASE("a list at the limit is answered, one byte more is not") {
  avatar_bench measure;
  measure.ask(1);
  measure.load();
  const auto size = measure.log->made.at(0).json->size();
  // The writer checks the size before it closes the document with two more bytes.
  avatar_bench exact{64 * 1024, size - 2};
  exact.ask(1);
  exact.load();
  CHECK(exact.log->made.size() == 1);
  avatar_bench less{64 * 1024, size - 3};
  less.ask(1);
  less.load();
  REQUIRE(less.log->failed.size() == 1);
  CHECK(less.log->failed[0].error.code == errc::list_too_large);
}

TEST_CASE("the cache holds its limit: what does not fit is loaded each time") {
  avatar_bench on{1};
  on.ask(1);
  on.load();
  on.ask(1);
  REQUIRE(on.load());
  CHECK(on.log->made.size() == 2);
  CHECK(on.metrics.cached_bytes.get() == 0);
}

TEST_CASE("lists hold their byte budget while they live") {
  avatar_bench on;
  on.ask(1);
  on.load();
  const auto held = on.budget.used_bytes();
  CHECK(held >= on.log->made.at(0).json->size());
  on.ask(1); // the same bytes are counted once
  CHECK(on.budget.used_bytes() == held);
  on.move_anything();
  CHECK(on.budget.used_bytes() == held); // a response still holds the bytes
  on.log->made.clear();
  CHECK(on.budget.used_bytes() == 0);
}

TEST_CASE("a budget without room is answered, not exceeded") {
  avatar_bench on;
  REQUIRE(on.budget.try_acquire(on.budget.limit_bytes()));
  on.ask(1);
  on.load();
  REQUIRE(on.log->failed.size() == 1);
  CHECK(on.log->failed[0].error.code == errc::budget_exhausted);
  on.budget.release(on.budget.limit_bytes());
  on.ask(1);
  on.load();
  CHECK(on.log->made.size() == 1);
}

TEST_CASE("a gone client's request is released after the load") {
  avatar_bench on;
  const auto request = on.ask(1);
  CHECK(request.use_count() == 2); // the waiter holds the request, and thereby its permit
  request->over = true;
  on.load();
  CHECK(on.log->made.empty());
  CHECK(request.use_count() == 1);
}

TEST_CASE("a list is read only if a request still waits for it") {
  avatar_bench on;
  const auto first = on.ask(1);
  const auto second = on.ask_at(on.elsewhere, 1);
  first->over = true;
  SECTION("all are over") {
    second->over = true;
    REQUIRE(on.load());
    CHECK(on.database->avatar_loads == 0);
    CHECK(on.metrics.loads.get() == 0);
    CHECK(on.log->failed.empty());
    on.ask(1); // begins another load
    REQUIRE(on.load());
    CHECK(on.log->made.size() == 1);
  }
  SECTION("one is not") {
    REQUIRE(on.load());
    REQUIRE(on.log->made.size() == 1);
    CHECK(on.log->made[0].exchange == exchange_ref{2, 1});
  }
}

TEST_CASE("a load outlives its actor and serves others") {
  avatar_bench on;
  on.ask(1);
  on.kill(on.here);
  CHECK(on.pool.run_one());
  on.run();
  CHECK(on.log->made.empty());
  on.ask_at(on.elsewhere, 1);
  CHECK(on.log->made.size() == 1);
  on.log->made.clear();
  on.move_anything();
  CHECK(on.budget.used_bytes() == 0);
}

} // namespace
} // namespace matchcloud::actors
