#include "actors/geoip_watch/geoip_watch.hpp"

#include "actors/supervision/messages.hpp"
#include "actors/supervision/supervisor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/replaced_file.hpp"
#include "tests/fixtures/temporary_directory.hpp"

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using base::owner;
using std::chrono::milliseconds;

/// The latitude of 192.0.2.1, the only network in these databases.
double latitude_by(const std::shared_ptr<const store::geoip>& known) {
  const auto found = known ? known->locate(address_of(1)) : std::nullopt;
  return found ? found->latitude : -1;
}

/// A database file, its watch, and a pool and a clock that move only when told to.
struct files_under_watch : deterministic_system {
  temporary_directory folder;
  std::string path = folder.file("places.mmdb", mmdb_of_place(1, 10));
  manual_pool pool;
  manual_clock clock;
  geoip_metrics metrics;
  services with;

  files_under_watch() {
    wait_until_settled(path);
    with.geoip_files = store::geoip_files::open({path}).value();
    with.short_work = &pool;
    with.clock = &clock;
    with.geoip_metrics = &metrics;
  }
  ~files_under_watch() {
    pool.tasks.clear(); // tasks hold the actor
  }

  void replace(double latitude) { replace(mmdb_of_place(latitude, 10)); }
  void replace(const std::string& bytes) {
    rename_over(path, bytes);
    wait_until_settled(path);
  }
  /// Runs the queued task and handles its result.
  bool look_once() {
    const bool ran = pool.run_one();
    run();
    return ran;
  }
  /// Runs as many looks as there are in a second.
  void pass_a_second() {
    for (int i = 0; i < 4; ++i) {
      look_once();
      advance(250ms);
    }
  }
};

struct geoip_watch_bench : files_under_watch {
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  caf::actor listener = spawn<probe>(log);
  caf::actor watch = spawn<geoip_watch>(with, with.geoip_files->in_force());

  geoip_watch_bench() { run(); }

  void join() {
    caf::anon_send(watch, subscribers{{listener}, {}});
    run();
  }
  std::vector<double> told() const {
    std::vector<double> latitudes;
    for (const auto& news : log->geoips)
      latitudes.push_back(latitude_by(news.geoip));
    return latitudes;
  }
};

TEST_CASE("a subscriber gets the GeoIP data in force at once") {
  geoip_watch_bench on;
  on.join();
  CHECK(on.told() == std::vector<double>{1});
  on.join();
  CHECK(on.told() == std::vector<double>{1, 1});
}

TEST_CASE("a GeoIP file that nobody replaces is no news") {
  geoip_watch_bench on;
  on.join();
  for (int i = 0; i < 3; ++i)
    on.pass_a_second();
  CHECK(on.log->geoips.size() == 1);
  CHECK(on.metrics.taken.get() == 0);
}

TEST_CASE("subscribers get a replaced GeoIP file within a second") {
  geoip_watch_bench on;
  on.join();
  on.look_once();
  on.replace(2);
  milliseconds waited{0};
  while (on.log->geoips.size() == 1 && waited < 2'000ms) {
    on.advance(50ms);
    waited += 50ms;
    on.look_once();
  }
  CHECK(waited <= 500ms);
  CHECK(on.told() == std::vector<double>{1, 2});
  CHECK(on.metrics.taken.get() == 1);
  CHECK(on.metrics.last_taken_s.get() == on.clock.unix_ms() / 1'000);
  on.pass_a_second();
  CHECK(on.log->geoips.size() == 2);
}

TEST_CASE("a refused GeoIP file is counted once") {
  geoip_watch_bench on;
  on.join();
  on.look_once();
  on.replace("garbage");
  on.pass_a_second();
  on.pass_a_second();
  CHECK(on.metrics.refused.get() == 1);
  CHECK(on.metrics.taken.get() == 0);
  on.join();
  CHECK(on.told() == std::vector<double>{1, 1});
  on.replace(3);
  on.pass_a_second();
  CHECK(on.told() == std::vector<double>{1, 1, 3});
}

TEST_CASE("looks follow each other: never two at once, one per interval") {
  geoip_watch_bench on;
  CHECK(on.pool.tasks.size() == 1);
  on.advance(10'000ms);
  CHECK(on.pool.tasks.size() == 1); // a slow disk does not pile up tasks
  on.look_once();
  on.advance(249ms);
  CHECK(on.pool.tasks.empty());
  on.advance(1ms);
  CHECK(on.pool.tasks.size() == 1);
}

TEST_CASE("a full pool puts the look off") {
  geoip_watch_bench on;
  on.join();
  on.look_once();
  on.pool.full = true;
  on.replace(4);
  on.advance(250ms);
  on.advance(250ms);
  CHECK(on.pool.tasks.empty());
  on.pool.full = false;
  on.advance(250ms);
  CHECK(on.pool.tasks.size() == 1);
  on.pass_a_second();
  CHECK(on.told() == std::vector<double>{1, 4});
}

TEST_CASE("a watch's successor reports what it found") {
  geoip_watch_bench on;
  on.look_once();
  on.replace(5);
  on.advance(250ms);
  on.look_once(); // noticed, not opened yet
  on.advance(250ms);
  on.kill(on.watch);
  on.look_once(); // opened for a watch that has died
  CHECK(on.metrics.taken.get() == 1);
  on.watch = on.spawn<geoip_watch>(on.with, nullptr);
  on.run();
  on.join();
  on.look_once();
  CHECK(latitude_by(on.log->geoips.back().geoip) == 5);
}

TEST_CASE("the pool frees a replaced database") {
  geoip_watch_bench on;
  on.join();
  on.look_once();
  const std::weak_ptr<const store::geoip> old = on.with.geoip_files->in_force();
  on.replace(6);
  on.pass_a_second();
  CHECK(on.log->geoips.size() == 2);
  on.log->geoips.clear(); // the last subscriber takes the new file
  CHECK_FALSE(old.expired());
  REQUIRE(on.pool.run_one());
  CHECK(old.expired());
}

/// A watch under a real supervisor, with a probe as ranking.
struct supervised : files_under_watch {
  struct started {
    std::vector<caf::actor> made;
    /// The latitude in each one's initial state.
    std::vector<double> latitudes;
  };

  started watch;
  started ranking;
  started validator;
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> validator_log = std::make_shared<probe_log>();
  caf::actor supervisor;

  supervised() {
    const auto add = [this](started& to, const initial_state& now, auto made) {
      to.latitudes.push_back(latitude_by(now.geoip));
      to.made.push_back(made);
      return made;
    };
    using kind = child_spec::kind;
    std::vector<child_spec> specs{
        {"geoip_watch", kind::worker, owner::none, child_spec::every_loop,
         [=, this](const initial_state& now) {
           return add(watch, now, spawn<geoip_watch>(with, now.geoip));
         },
         0, base::news::geoip},
        {"region_ranking/0", kind::owner, owner::region_ranking, 0,
         [=, this](const initial_state& now) { return add(ranking, now, spawn<probe>(log)); }},
        {"validator/0", kind::owner, owner::validator, 0, [=, this](const initial_state& now) {
           return add(validator, now, spawn<probe>(validator_log));
         }}};
    supervisor_settings supervising;
    supervising.children = std::make_shared<child_table>(
        std::move(specs), initial_state{two_regions(), with.geoip_files->in_force()}, 5, 10s);
    supervising.clock = &clock;
    supervisor = spawn<actors::supervisor>(supervising);
    run();
  }
  ~supervised() {
    pool.tasks.clear();
    caf::anon_send(supervisor, stop_all{});
    run();
  }
};

TEST_CASE("a restarted ranking starts with the new GeoIP file") {
  supervised on;
  CHECK(on.ranking.latitudes == std::vector<double>{1});
  on.look_once();
  on.replace(7);
  on.pass_a_second();
  CHECK(latitude_by(on.log->geoips.back().geoip) == 7);
  on.kill(on.ranking.made.back());
  CHECK(on.ranking.latitudes == std::vector<double>{1, 7});
  // The restarted ranking also receives the next change.
  on.replace(8);
  on.pass_a_second();
  CHECK(latitude_by(on.log->geoips.back().geoip) == 8);
}

TEST_CASE("a watch that is restarted goes on from what is in force") {
  supervised on;
  on.look_once();
  on.replace(7);
  on.pass_a_second();
  on.kill(on.watch.made.back());
  CHECK(on.watch.latitudes == std::vector<double>{1, 7});
  for (const auto& news : on.log->geoips)
    CHECK(latitude_by(news.geoip) >= 1);
  CHECK(latitude_by(on.log->geoips.back().geoip) == 7);
  on.replace(9);
  on.pass_a_second();
  on.pass_a_second();
  CHECK(latitude_by(on.log->geoips.back().geoip) == 9);
  on.kill(on.ranking.made.back());
  CHECK(on.ranking.latitudes.back() == 9);
}

} // namespace
} // namespace matchcloud::actors
