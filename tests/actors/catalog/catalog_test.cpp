#include "actors/catalog/catalog.hpp"

#include "model/access/new_token.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

struct catalog_bench : deterministic_system {
  manual_pool pool;
  std::shared_ptr<fake_database> database = std::make_shared<fake_database>();
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor listener = spawn<probe>(log);
  caf::actor catalog;
  std::vector<store::moved_games> moved;
  services with;

  catalog_bench() {
    database->content = *two_regions();
    with.store_work = &pool;
    with.database = open_fake(database);
    catalog_settings settings;
    settings.on_moved_avatars = [this](const store::moved_games& news) { moved.push_back(news); };
    catalog = spawn<actors::catalog>(with, settings, two_regions());
    run();
  }
  ~catalog_bench() {
    pool.tasks.clear(); // tasks hold the actor
  }

  void join() {
    caf::anon_send(catalog, subscribers{{listener}});
    run();
  }
  /// Runs the queued task and handles its result.
  bool poll_once() {
    const bool ran = pool.run_one();
    run();
    return ran;
  }
  void commit_revision(std::int64_t revision) {
    database->content.revision = revision;
    database->changed = true;
  }
};

TEST_CASE("a poll changes the snapshot, the avatars, or nothing") {
  catalog_state state{two_regions()};
  CHECK(state.apply({}) == catalog_state::outcome::unchanged);
  auto newer = two_regions();
  newer->revision = 7;
  store_polled found;
  found.snapshot = newer;
  CHECK(state.apply(found) == catalog_state::outcome::changed);
  CHECK(state.snapshot()->revision == 7);
  CHECK(state.avatars_revision() == -1);
  store_polled moved;
  moved.avatars = std::make_shared<const store::moved_games>(store::moved_games{3, {}, true});
  CHECK(state.apply(moved) == catalog_state::outcome::unchanged);
  CHECK(state.avatars_revision() == 3);
}

TEST_CASE("a failure is told of once, until a poll succeeds") {
  catalog_state state{two_regions()};
  store_polled failed;
  failed.failure = std::make_shared<const base::error>(base::errc::store_failed, "no disk");
  CHECK(state.apply(failed) == catalog_state::outcome::failed);
  CHECK(state.apply(failed) == catalog_state::outcome::failed_again);
  CHECK(state.snapshot()->revision == 1);
  CHECK(state.apply({}) == catalog_state::outcome::unchanged);
  CHECK(state.apply(failed) == catalog_state::outcome::failed);
}

TEST_CASE("a subscriber gets the snapshot at once") {
  catalog_bench on;
  on.join();
  REQUIRE(on.log->catalogs.size() == 1);
  CHECK(on.log->catalogs[0].snapshot->revision == 1);
  on.join();
  CHECK(on.log->catalogs.size() == 2);
}

TEST_CASE("a revision that is known already is not loaded") {
  catalog_bench on;
  on.join();
  CHECK(on.poll_once());
  CHECK(on.log->catalogs.size() == 1);
  CHECK(on.database->loads == 0);
}

TEST_CASE("token holders get tokens, with their uses, on subscribing and when tokens change") {
  catalog_bench on;
  caf::anon_send(on.catalog, subscribers{{}, {on.listener}});
  on.run();
  REQUIRE(on.log->tokens.size() == 1);
  const auto token = model::make_token({}, "x", 1).token;
  on.database->tokens =
      std::make_shared<const model::token_list>(1, std::vector<model::access_token>{token});
  on.database->changed = true;
  CHECK(on.poll_once());
  REQUIRE(on.log->tokens.size() == 2);
  const auto first = on.log->tokens[1].tokens;
  CHECK(first->revision() == 1);
  first->note_use(first->tokens()[0], 5'000);
  on.database->tokens =
      std::make_shared<const model::token_list>(2, std::vector<model::access_token>{token});
  on.database->changed = true;
  on.advance(250ms);
  CHECK(on.poll_once());
  REQUIRE(on.log->tokens.size() == 3);
  CHECK(on.log->tokens[2].tokens->used_ms(0) == 5'000);
  CHECK(on.log->catalogs.empty());
  CHECK(on.database->loads == 0); // the catalog has not moved
}

TEST_CASE("a change is seen within a second and sent to the subscribers") {
  catalog_bench on;
  on.join();
  on.poll_once();
  on.commit_revision(2);
  milliseconds waited{0};
  while (on.log->catalogs.size() == 1 && waited < 2'000ms) {
    on.advance(50ms);
    waited += 50ms;
    on.poll_once();
  }
  CHECK(waited <= 1'000ms);
  REQUIRE(on.log->catalogs.size() == 2);
  CHECK(on.log->catalogs[1].snapshot->revision == 2);
  CHECK(on.database->loads == 1);
}

TEST_CASE("polls follow each other: never two at once, one per interval") {
  catalog_bench on;
  CHECK(on.pool.tasks.size() == 1);
  on.advance(10'000ms);
  CHECK(on.pool.tasks.size() == 1); // a slow store does not pile up tasks
  on.poll_once();
  on.advance(249ms);
  CHECK(on.pool.tasks.empty());
  on.advance(1ms);
  CHECK(on.pool.tasks.size() == 1);
}

TEST_CASE("a failing store leaves the snapshot in force, and is opened again") {
  catalog_bench on;
  on.join();
  on.poll_once();
  on.commit_revision(2);
  on.database->failure = base::error{base::errc::store_failed, "disk on fire"};
  for (int i = 0; i < 3; ++i) {
    on.advance(250ms);
    CHECK(on.poll_once());
  }
  CHECK(on.log->catalogs.size() == 1);
  on.join();
  CHECK(on.log->catalogs.back().snapshot->revision == 1);

  on.database->failure.reset();
  on.database->changed = false; // a new feed must look even if nothing has changed since
  on.advance(250ms);
  on.poll_once();
  CHECK(on.log->catalogs.back().snapshot->revision == 2);
  // A poll needs one session for the feed and, after a change, another. The one that failed took
  // the idle one with it, so that each further attempt opened another.
  CHECK(on.database->opened == 6);
}

TEST_CASE("a store that cannot be opened is tried again") {
  catalog_bench on;
  on.join();
  on.commit_revision(5);
  on.database->open_failure = base::error{base::errc::store_failed, "locked"};
  on.poll_once();
  CHECK(on.log->catalogs.back().snapshot->revision == 1);
  on.database->open_failure.reset();
  on.advance(250ms);
  REQUIRE(on.poll_once());
  CHECK(on.log->catalogs.back().snapshot->revision == 5);
}

TEST_CASE("the catalog tells which games' avatars changed") {
  catalog_bench on;
  on.poll_once(); // the first poll has no revision to compare with
  REQUIRE(on.moved.size() == 1);
  CHECK(on.moved[0].all);

  on.database->avatars_revision = 7;
  on.database->changed = true;
  on.advance(250ms);
  on.poll_once();
  REQUIRE(on.moved.size() == 2);
  CHECK_FALSE(on.moved[1].all);
  CHECK(on.moved[1].games == std::vector<store::game_revision>{{id_of(1), 7}});

  on.join();
  on.commit_revision(2); // of the catalog only
  on.advance(250ms);
  on.poll_once();
  CHECK(on.moved.size() == 2);
  CHECK(on.log->catalogs.back().snapshot->revision == 2);
}

TEST_CASE("a full pool puts the poll off") {
  catalog_bench on;
  on.poll_once();
  on.pool.full = true;
  on.advance(250ms);
  CHECK(on.pool.tasks.empty());
  on.pool.full = false;
  on.advance(250ms);
  CHECK(on.pool.tasks.size() == 1);
}

TEST_CASE("a catalog that ends while its poll runs takes no harm") {
  catalog_bench on;
  on.kill(on.catalog);
  CHECK(on.poll_once());
}

} // namespace
} // namespace matchcloud::actors
