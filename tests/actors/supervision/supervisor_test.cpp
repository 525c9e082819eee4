#include "actors/supervision/supervisor.hpp"

#include "actors/supervision/child_table.hpp"
#include "actors/supervision/messages.hpp"
#include "actors/supervision/restart_policy.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using base::owner;

/// A catalog, a front, and owners for two loops and the pool. All of them are probes.
struct supervisor_bench : deterministic_system {
  enum : std::size_t {
    catalog,
    validator_0,
    validator_1,
    large,
    avatar_0,
    front_0,
    front_1,
    child_count
  };

  struct started {
    std::vector<caf::actor> made;
    std::vector<std::int64_t> revisions;
    std::shared_ptr<probe_log> log = std::make_shared<probe_log>();

    const caf::actor& now() const { return made.back(); }
  };

  manual_clock clock;
  std::shared_ptr<child_table> children;
  std::vector<bool> storms;
  std::array<started, child_count> at;
  caf::actor supervisor;

  supervisor_bench() {
    const auto make = [this](std::size_t index) {
      return [this, index](const initial_state& in_force) {
        auto& here = at[index];
        here.revisions.push_back(in_force.catalog->revision);
        here.made.push_back(spawn<probe>(here.log));
        return here.made.back();
      };
    };
    using kind = child_spec::kind;
    children = std::make_shared<child_table>(
        std::vector<child_spec>{
            {"catalog", kind::worker, owner::none, child_spec::every_loop, make(catalog), 0,
             base::news::catalog + base::news::tokens},
            {"validator/0", kind::owner, owner::validator, 0, make(validator_0)},
            {"validator/1", kind::owner, owner::validator, 1, make(validator_1)},
            {"validator/large", kind::owner, owner::large_validator, child_spec::every_loop,
             make(large)},
            {"avatar/0", kind::owner, owner::avatar, 0, make(avatar_0)},
            {"front/0", kind::front, owner::none, 0, make(front_0)},
            {"front/1", kind::front, owner::none, 1, make(front_1)}},
        initial_state{two_regions()}, 5, 10s);
    start();
  }
  void start() {
    supervisor_settings settings;
    settings.children = children;
    settings.clock = &clock;
    settings.on_storm = [this](bool now) { storms.push_back(now); };
    supervisor = spawn<actors::supervisor>(settings);
    run();
  }
  ~supervisor_bench() {
    // The supervisor's handles would keep itself and the child table alive beyond the system.
    caf::anon_send(supervisor, stop_all{});
    run();
  }

  caf::actor known_to(std::size_t front, owner role) const {
    REQUIRE(!at[front].log->owners.empty());
    return at[front].log->owners.back().by_role.at(index_of(role));
  }
  child_report report_of(std::string_view name) const {
    for (const auto& each : children->report())
      if (each.name == name) return each;
    FAIL("no such child: " << name);
    return {};
  }
  std::size_t kill_at(std::size_t index) {
    kill(at[index].now());
    return at[index].made.size();
  }
};

TEST_CASE("every child is started, with the snapshot in force") {
  supervisor_bench on;
  for (const auto& here : on.at) {
    CHECK(here.made.size() == 1);
    CHECK(here.revisions == std::vector<std::int64_t>{1});
  }
  CHECK(on.children->restarts() == 0);
}

TEST_CASE("each front gets its loop's owners and the shared ones") {
  supervisor_bench on;
  CHECK(on.known_to(supervisor_bench::front_0, owner::validator) ==
        on.at[supervisor_bench::validator_0].now());
  CHECK(on.known_to(supervisor_bench::front_1, owner::validator) ==
        on.at[supervisor_bench::validator_1].now());
  CHECK(on.known_to(supervisor_bench::front_0, owner::large_validator) ==
        on.at[supervisor_bench::large].now());
  CHECK(on.known_to(supervisor_bench::front_1, owner::large_validator) ==
        on.at[supervisor_bench::large].now());
  CHECK(!on.known_to(supervisor_bench::front_0, owner::region_ranking));
}

TEST_CASE("a dead actor is replaced at once, and fronts and catalog hear of it") {
  supervisor_bench on;
  const auto old = on.at[supervisor_bench::validator_0].now();
  const auto neighbours = on.at[supervisor_bench::validator_1].made.size();
  CHECK(on.kill_at(supervisor_bench::validator_0) == 2);
  const auto& successor = on.at[supervisor_bench::validator_0].now();
  CHECK(successor != old);
  CHECK(on.known_to(supervisor_bench::front_0, owner::validator) == successor);
  CHECK(on.known_to(supervisor_bench::front_1, owner::validator) ==
        on.at[supervisor_bench::validator_1].now());
  const auto& members = on.at[supervisor_bench::catalog].log->subscriptions.back().members;
  CHECK(std::count(members.begin(), members.end(), successor) == 1);
  CHECK(std::count(members.begin(), members.end(), old) == 0);
  CHECK(on.at[supervisor_bench::validator_1].made.size() == neighbours);
  CHECK(on.children->restarts() == 1);
}

TEST_CASE("a new front or catalog is told what it needs") {
  supervisor_bench on;
  on.kill_at(supervisor_bench::front_1); // the probe clears its log
  CHECK(on.known_to(supervisor_bench::front_1, owner::validator) ==
        on.at[supervisor_bench::validator_1].now());
  on.kill_at(supervisor_bench::catalog);
  REQUIRE(!on.at[supervisor_bench::catalog].log->subscriptions.empty());
  CHECK(on.at[supervisor_bench::catalog].log->subscriptions.back().members.size() == 7);
}

TEST_CASE("a successor starts with the newest snapshot") {
  supervisor_bench on;
  auto newer = two_regions();
  newer->revision = 42;
  caf::anon_send(on.supervisor, catalog_changed{newer});
  on.kill_at(supervisor_bench::validator_0);
  CHECK(on.at[supervisor_bench::validator_0].revisions.back() == 42);
}

TEST_CASE("a child that handled nothing is restarted after a backoff") {
  supervisor_bench on;
  CHECK(on.kill_at(supervisor_bench::validator_0) == 2); // the first restart has no backoff
  CHECK(on.kill_at(supervisor_bench::validator_0) == 2);
  CHECK(!on.known_to(supervisor_bench::front_0, owner::validator));
  CHECK(on.known_to(supervisor_bench::front_1, owner::validator));
  CHECK(on.report_of("validator/0").state == child_state::waiting);
  on.advance(24ms);
  CHECK(on.at[supervisor_bench::validator_0].made.size() == 2);
  on.advance(51ms);
  REQUIRE(on.at[supervisor_bench::validator_0].made.size() == 3);
  CHECK(on.known_to(supervisor_bench::front_0, owner::validator) ==
        on.at[supervisor_bench::validator_0].now());
  CHECK(on.report_of("validator/0").state == child_state::running);
  // The backoff of one child does not affect another.
  CHECK(on.kill_at(supervisor_bench::validator_1) == 2);
}

TEST_CASE("a storm is told, and is over when its actor has lasted") {
  supervisor_bench on;
  for (int i = 0; i < 6; ++i) {
    CHECK(on.storms.empty());
    on.kill_at(supervisor_bench::large);
    on.advance(1s);
  }
  CHECK(on.storms == std::vector<bool>{true});
  CHECK(on.report_of("validator/large").state == child_state::storming);
  on.clock.advance(child_table::calm_time);
  on.advance(supervisor::storm_check_interval);
  CHECK(on.storms == std::vector<bool>{true});
  on.clock.advance(1ms);
  on.advance(supervisor::storm_check_interval);
  CHECK(on.storms == std::vector<bool>{true, false});
  CHECK(on.report_of("validator/large").state == child_state::running);
}

TEST_CASE("a report has a child's restarts and last error") {
  supervisor_bench on;
  on.kill_at(supervisor_bench::avatar_0);
  const auto said = on.report_of("avatar/0");
  CHECK(said.restarts == 1);
  CHECK(said.last_error == "exit_reason(kill)");
  CHECK(said.role == owner::avatar);
  CHECK(on.report_of("front/1").restarts == 0);
  CHECK(on.report_of("front/1").last_error.empty());
}

TEST_CASE("the supervisor's successor finds actors and restarts dead ones") {
  supervisor_bench on;
  on.kill(on.supervisor);
  caf::anon_send_exit(on.at[supervisor_bench::validator_0].now(), caf::exit_reason::kill);
  on.run();
  CHECK(on.at[supervisor_bench::validator_0].made.size() == 1);
  const auto left = on.at[supervisor_bench::validator_1].now();
  on.start();
  CHECK(on.at[supervisor_bench::validator_0].made.size() == 2);
  CHECK(on.at[supervisor_bench::validator_1].now() == left);
  CHECK(on.at[supervisor_bench::validator_1].made.size() == 1);
  CHECK(on.known_to(supervisor_bench::front_0, owner::validator) ==
        on.at[supervisor_bench::validator_0].now());
  CHECK(on.children->supervisor_restarts() == 1);
  CHECK(on.kill_at(supervisor_bench::validator_1) == 2);
  const auto& members = on.at[supervisor_bench::catalog].log->subscriptions.back().members;
  CHECK(std::count(members.begin(), members.end(), on.supervisor) == 1);
}

TEST_CASE("stopping ends every actor, then the supervisor, and restarts nobody") {
  supervisor_bench on;
  std::size_t ended = 0;
  for (const auto& here : on.at)
    here.now()->attach_functor([&ended] { ++ended; });
  bool supervisor_ended = false;
  on.supervisor->attach_functor([&] {
    supervisor_ended = true;
    CHECK(ended == supervisor_bench::child_count);
  });
  caf::anon_send(on.supervisor, stop_all{});
  on.run();
  CHECK(ended == supervisor_bench::child_count);
  CHECK(supervisor_ended);
  for (const auto& here : on.at)
    CHECK(here.made.size() == 1);
}

TEST_CASE("stopping does not wait for a place in backoff, which stays empty") {
  supervisor_bench on;
  for (int i = 0; i < 2; ++i)
    on.kill_at(supervisor_bench::large);
  bool ended = false;
  on.supervisor->attach_functor([&ended] { ended = true; });
  caf::anon_send(on.supervisor, stop_all{});
  on.run();
  CHECK(ended);
  on.advance(5s);
  CHECK(on.at[supervisor_bench::large].made.size() == 2);
}

using std::chrono::milliseconds;

namespace news = base::news;
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
                    10s};
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

TEST_CASE("the table knows which actor runs for which child") {
  child_table_bench on;
  CHECK(on.table.find(on.made[avatar_0].address()) == avatar_0);
  CHECK(on.end(avatar_0) == 0ms);
  CHECK_FALSE(on.table.find(on.made[avatar_0].address()));
  CHECK(on.table.actor(avatar_0) == nullptr);
  CHECK_FALSE(on.table.is_empty());
  for (const std::size_t other : {catalog, validator_0, validator_1, ranking_0, front_0})
    on.end(other);
  CHECK(on.table.is_empty());
}

TEST_CASE("owners by loop, and subscribers by what they need") {
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

TEST_CASE("exits of idle children back off and become a storm") {
  child_table_bench on;
  CHECK(on.end(validator_0) == 0ms);
  on.start(validator_0);
  CHECK(on.end(validator_0) == 25ms); // half of the first backoff: no chance
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
  on.now += 1ms;
  on.table.end_storms(on.now);
  CHECK_FALSE(on.table.storms());
}

TEST_CASE("a child that handled something ends its storm and restarts at once") {
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
  CHECK(on.end(avatar_0) == 0ms);
  const auto said = on.table.report()[avatar_0];
  CHECK(said.handled == 1);
  CHECK(said.restarts == 4);
  CHECK(said.last_error == "out of luck");
  CHECK(on.table.last_error(avatar_0) == "out of luck");
  CHECK(on.table.last_error(front_0).empty());
}

TEST_CASE("exits of a service that ends are no restarts") {
  child_table_bench on;
  on.table.stop();
  on.end(front_0);
  CHECK(on.table.restarts() == 0);
  CHECK(on.table.report()[front_0].last_error == "killed");
}

using std::chrono::seconds;

const base::steady_time begin{3'600s};
/// A random number in the middle of its range: the backoff gets no jitter.
constexpr std::uint32_t middle = 0x7FFF'FFFF;

struct restart_policy_bench {
  restart_policy policy{5, 10s};
  base::steady_time now = begin;

  restart_policy::verdict fail(bool fruitful, std::uint32_t random = middle) {
    return policy.next(now, fruitful, random);
  }
};

TEST_CASE("an actor that handled something restarts at once, however often it dies") {
  restart_policy_bench on;
  for (int i = 0; i < 100; ++i) {
    const auto said = on.fail(true);
    CHECK(said.delay == 0ms);
    CHECK_FALSE(said.storm);
  }
}

TEST_CASE("an actor that handled nothing restarts at once, then ever later") {
  restart_policy_bench on;
  std::vector<std::int64_t> delays;
  for (int i = 0; i < 11; ++i) {
    delays.push_back(on.fail(false).delay.count());
    on.now += 60s;
  }
  CHECK(delays ==
        std::vector<std::int64_t>{0, 49, 99, 199, 399, 799, 1'599, 3'199, 4'999, 4'999, 4'999});
}

TEST_CASE("handling something ends the backoff") {
  restart_policy_bench on;
  for (int i = 0; i < 8; ++i)
    on.fail(false);
  CHECK(on.fail(true).delay == 0ms);
  CHECK(on.fail(false).delay == 0ms);
  CHECK(on.fail(false).delay == 49ms);
}

TEST_CASE("backoffs are spread over half to one and a half times their length") {
  for (const auto& [random, expected] :
       std::vector<std::pair<std::uint32_t, int>>{{0, 25}, {middle, 49}, {UINT32_MAX, 75}}) {
    restart_policy_bench on;
    on.fail(false, random);
    CHECK(on.fail(false, random).delay == milliseconds{expected});
  }
}

TEST_CASE("more fruitless failures than the intensity within the window are a storm") {
  restart_policy_bench on;
  for (int i = 0; i < 5; ++i)
    CHECK_FALSE(on.fail(false).storm);
  CHECK(on.fail(false).storm);
  CHECK_FALSE(on.fail(true).storm); // handled something: not part of a storm
}

TEST_CASE("the window is closed at its end: ten seconds count, more do not") {
  for (const bool within : {true, false}) {
    restart_policy_bench on;
    for (int i = 0; i < 5; ++i)
      on.fail(false);
    on.now += 10s + milliseconds{within ? 0 : 1};
    CHECK(on.fail(false).storm == within);
  }
}

} // namespace
} // namespace matchcloud::actors
