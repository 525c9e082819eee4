#include "actors/supervision/child_table.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <algorithm>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace news = base::news;
using base::owner;
using kind = child_spec::kind;

enum child : std::size_t { catalog, validator_0, validator_1, avatar_0, ranking_0, front_0 };

/// A table whose actors only stand for themselves.
struct child_table_bench : deterministic_system {
  child_table table{{{"catalog", kind::worker, owner::none, child_spec::every_loop, {}},
                     {"validator/0", kind::owner, owner::validator, 0, {}},
                     {"validator/1", kind::owner, owner::validator, 1, {}},
                     {"avatar/0", kind::owner, owner::avatar, 0, {}},
                     {"region_ranking/0", kind::owner, owner::region_ranking, 0, {}},
                     {"front/0", kind::front, owner::none, 0, {}}},
                    initial_state{two_regions()},
                    2,
                    seconds{10}};
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  std::vector<caf::actor> made;
  std::vector<std::shared_ptr<actor_statistics>> statistics;
  base::steady_time now{};

  child_table_bench() {
    for (std::size_t i = 0; i < table.size(); ++i)
      start(i);
  }
  void start(std::size_t index) {
    made.resize(table.size());
    statistics.resize(table.size());
    made[index] = spawn<probe>(log);
    statistics[index] = std::make_shared<actor_statistics>();
    table.record_start(index, made[index], statistics[index], now);
  }
  milliseconds end(std::size_t index) { return table.record_exit(index, "killed", now, 0); }
};

TEST_CASE("without an actor: the table knows which actor runs for which child") {
  child_table_bench on;
  CHECK(on.table.find(on.made[avatar_0].address()) == avatar_0);
  CHECK(on.end(avatar_0) == milliseconds{0});
  CHECK_FALSE(on.table.find(on.made[avatar_0].address()));
  CHECK(on.table.actor(avatar_0) == nullptr);
  CHECK_FALSE(on.table.is_empty());
  for (const std::size_t other : {catalog, validator_0, validator_1, ranking_0, front_0})
    on.end(other);
  CHECK(on.table.is_empty());
}

TEST_CASE("without an actor: owners by loop, and subscribers by what they need") {
  child_table_bench on;
  const auto owners = on.table.owners_of(0);
  CHECK(owners.by_role[index_of(owner::validator)] == on.made[validator_0]);
  CHECK(owners.by_role[index_of(owner::avatar)] == on.made[avatar_0]);
  CHECK(on.table.owners_of(1).by_role[index_of(owner::validator)] == on.made[validator_1]);
  CHECK(on.table.owners_of(1).by_role[index_of(owner::region_ranking)] == nullptr);
  // A front without a loop has nothing to do with those of loops, such as the ops plane's.
  CHECK(on.table.owners_of(child_spec::every_loop).by_role[index_of(owner::validator)] == nullptr);

  const auto of_catalog = on.table.subscribers_to(news::catalog | news::tokens);
  CHECK(of_catalog.members.size() == 5);
  CHECK(of_catalog.token_holders == std::vector{on.made[front_0]});
  CHECK(std::ranges::count(of_catalog.members, on.made[front_0]) == 1);
  CHECK(on.table.subscribers_to(news::geoip).members == std::vector{on.made[ranking_0]});
  on.end(ranking_0);
  CHECK(on.table.subscribers_to(news::geoip).members.empty());
}

TEST_CASE("without an actor: exits that nothing was handled before back off and become a storm") {
  child_table_bench on;
  CHECK(on.end(validator_0) == milliseconds{0});
  on.start(validator_0);
  CHECK(on.end(validator_0) == milliseconds{25}); // half of the first backoff: no chance
  CHECK(on.table.report()[validator_0].state == child_state::waiting);
  CHECK_FALSE(on.table.storms());
  on.start(validator_0);
  on.end(validator_0);
  CHECK(on.table.storms());
  CHECK(on.table.report()[validator_0].state == child_state::storming);

  on.start(validator_0);
  on.now += child_table::calm_time;
  on.table.end_storms(on.now);
  CHECK(on.table.storms());
  on.now += milliseconds{1};
  on.table.end_storms(on.now);
  CHECK_FALSE(on.table.storms());
}

TEST_CASE("without an actor: a child that handled something ends its storm and restarts at once") {
  child_table_bench on;
  for (int i = 0; i < 3; ++i) {
    on.end(avatar_0);
    on.start(avatar_0);
  }
  REQUIRE(on.table.storms());
  on.statistics[avatar_0]->count_handled();
  on.table.end_storms(on.now);
  CHECK_FALSE(on.table.storms());
  on.statistics[avatar_0]->set_last_error("out of luck");
  CHECK(on.end(avatar_0) == milliseconds{0});
  const auto said = on.table.report()[avatar_0];
  CHECK(said.handled == 1);
  CHECK(said.restarts == 4);
  CHECK(said.last_error == "out of luck");
  CHECK(on.table.last_error(avatar_0) == "out of luck");
  CHECK(on.table.last_error(front_0).empty());
}

TEST_CASE("without an actor: exits of a service that ends are no restarts") {
  child_table_bench on;
  on.table.stop();
  on.end(front_0);
  CHECK(on.table.restarts() == 0);
  CHECK(on.table.report()[front_0].last_error == "killed");
}

} // namespace
} // namespace matchcloud::actors
