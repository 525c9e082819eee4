#include "actors/supervision/supervisor.hpp"

#include "actors/supervision/messages.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"

#include <algorithm>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using base::owner;
using std::chrono::milliseconds;
using std::chrono::seconds;

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
        initial_state{two_regions()}, 5, seconds{10});
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

TEST_CASE("each front hears of the owners of its loop and of those that serve all") {
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

TEST_CASE("the catalog's subscribers are the supervisor, every front and the owners that need it") {
  supervisor_bench on;
  REQUIRE(!on.at[supervisor_bench::catalog].log->subscriptions.empty());
  const auto& members = on.at[supervisor_bench::catalog].log->subscriptions.back().members;
  CHECK(members.size() == 7);
  for (const auto& expected :
       {on.supervisor, on.at[supervisor_bench::validator_0].now(),
        on.at[supervisor_bench::validator_1].now(), on.at[supervisor_bench::large].now(),
        on.at[supervisor_bench::avatar_0].now()})
    CHECK(std::count(members.begin(), members.end(), expected) == 1);
}

TEST_CASE("what dies is replaced at once, and all who must know hear of it") {
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

TEST_CASE("a child whose actors are of no use waits, longer each time, and is a storm at last") {
  supervisor_bench on;
  CHECK(on.kill_at(supervisor_bench::validator_0) == 2); // the first restart has no backoff
  CHECK(on.kill_at(supervisor_bench::validator_0) == 2);
  CHECK(!on.known_to(supervisor_bench::front_0, owner::validator));
  CHECK(on.known_to(supervisor_bench::front_1, owner::validator));
  CHECK(on.report_of("validator/0").state == child_state::waiting);
  on.advance(milliseconds{24});
  CHECK(on.at[supervisor_bench::validator_0].made.size() == 2);
  on.advance(milliseconds{51});
  REQUIRE(on.at[supervisor_bench::validator_0].made.size() == 3);
  CHECK(on.known_to(supervisor_bench::front_0, owner::validator) ==
        on.at[supervisor_bench::validator_0].now());
  CHECK(on.report_of("validator/0").state == child_state::running);
  // The backoff of one child does not affect another.
  CHECK(on.kill_at(supervisor_bench::validator_1) == 2);

  for (int i = 0; i < 4; ++i) {
    CHECK(on.storms.empty());
    on.kill_at(supervisor_bench::validator_0);
    on.advance(seconds{1});
  }
  CHECK(on.storms == std::vector<bool>{true});
  CHECK(on.report_of("validator/0").state == child_state::storming);
  CHECK(on.children->storms());
}

TEST_CASE("a storm is over when its actor has lasted") {
  supervisor_bench on;
  for (int i = 0; i < 6; ++i) {
    on.kill_at(supervisor_bench::large);
    on.advance(seconds{1});
  }
  CHECK(on.storms == std::vector<bool>{true});
  on.clock.advance(child_table::calm_time);
  on.advance(supervisor::storm_check_interval);
  CHECK(on.storms == std::vector<bool>{true});
  on.clock.advance(milliseconds{1});
  on.advance(supervisor::storm_check_interval);
  CHECK(on.storms == std::vector<bool>{true, false});
  CHECK(on.report_of("validator/large").state == child_state::running);
}

TEST_CASE("a report says how often a child was restarted, and what its actors died of") {
  supervisor_bench on;
  on.kill_at(supervisor_bench::avatar_0);
  const auto said = on.report_of("avatar/0");
  CHECK(said.restarts == 1);
  CHECK(said.last_error == "exit_reason(kill)");
  CHECK(said.role == owner::avatar);
  CHECK(on.report_of("front/1").restarts == 0);
  CHECK(on.report_of("front/1").last_error.empty());
}

TEST_CASE("the supervisor's successor finds all actors, and restarts those that died in between") {
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
  on.advance(seconds{5});
  CHECK(on.at[supervisor_bench::large].made.size() == 2);
}

} // namespace
} // namespace matchcloud::actors
