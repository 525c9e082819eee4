#include "actors/latency_map/latency_map.hpp"

#include "model/latency/predictor.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/injected_fault.hpp"
#include "tests/fixtures/latency_reports.hpp"
#include "tests/simulation/memory_store.hpp"

#include <spdlog/sinks/ringbuffer_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using namespace std::chrono_literals;
using base::fault_kind;
using base::fault_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds report_interval{60};
constexpr milliseconds keep_interval{2'000};
constexpr std::size_t ipv6_prefix = 64;
constexpr std::int64_t ms_per_minute = 60'000;

/// One process' latency_map, and those that it talks to.
struct process {
  deterministic_system& in;
  manual_clock& clock;
  manual_pool pool;
  latency_metrics metrics;
  std::shared_ptr<probe_log> log = std::make_shared<probe_log>();
  std::shared_ptr<probe_log> ranking_log = std::make_shared<probe_log>();
  caf::actor front = in.spawn<probe>(log);
  caf::actor ranking = in.spawn<probe>(ranking_log);
  model::catalog_snapshot catalog = three_regions();
  services with;
  caf::actor map;
  bool dead = false;
  std::uint64_t last = 0;

  process(deterministic_system& on, manual_clock& by, std::shared_ptr<store::database> database,
          bool learns = true)
      : in{on}, clock{by} {
    latency_config config;
    config.learns = learns;
    config.entry_limit = 32'768;
    with.latencies = std::make_shared<latency_map_state>(config, metrics, true);
    with.latency_gate = std::make_shared<report_gate>(report_interval, ipv6_prefix, clock);
    with.database = std::move(database);
    with.store_work = &pool;
    with.clock = &clock;
    start();
  }
  ~process() {
    pool.tasks.clear(); // tasks hold the actor
    in.kill(map);
  }

  /// Starts the map, as the supervisor does after it has died.
  void start() {
    map = in.spawn<latency_map>(with, latency_map_settings{{}, keep_interval}, catalog,
                                latency_geoip());
    dead = false;
    map->attach_functor([this](const caf::error&) { dead = true; });
    in.run();
  }
  void subscribe() {
    caf::anon_send(map, subscribers{{ranking}, {}});
    in.run();
  }
  exchange_ref report(const model::ip_address& client, std::string_view latencies) {
    const exchange_ref asked{++last, 1};
    in.send_as(front, map, report_latencies{asked, client, measured(latencies)});
    return asked;
  }
  void report_from_germany(std::uint8_t networks) {
    for (std::uint8_t network = 0; network < networks; ++network)
      report(player_in(network), german_latencies);
  }
  std::string answer() const { return log->made.empty() ? "" : *log->made.back().json; }
  /// What rankings were told last; null: nothing.
  std::shared_ptr<const model::latency_snapshot> told() const {
    return ranking_log->latencies.empty() ? nullptr : ranking_log->latencies.back().latencies;
  }
  std::size_t times_told() const { return ranking_log->latencies.size(); }
  /// Runs what is queued for the store, and handles its result. False: nothing was queued.
  bool keep() {
    const bool ran = pool.run_one();
    in.run();
    return ran;
  }
};

struct latency_map_bench : deterministic_system {
  manual_clock clock;
  simulation::memory_store store;

  latency_map_bench() { base::faults::seed(1); }
  ~latency_map_bench() { base::faults::clear_all(); }

  void pass(milliseconds time) {
    clock.advance(time);
    advance(time);
  }
};

/// A bench with one process. Most tests need no other.
struct lone_bench : latency_map_bench {
  process at{*this, clock, store.store()};
  lone_bench() { at.subscribe(); }
};

/// How many reports there are of a place and a region, and what they say.
double reports_of(const model::latency_snapshot& by, const model::coordinates& where) {
  const auto all = by.find(model::place_cell(where));
  return all.empty() ? 0 : static_cast<double>(model::voices_for(all, all.front().region).size());
}

TEST_CASE("a report that is not learned does not use up the interval") {
  lone_bench on;
  on.at.report(player_in(1), "fra:2001");
  CHECK(on.at.answer() == R"({"taken":false,"why":"implausible","unknown":[]})");
  on.at.report(player_in(1), german_latencies);
  CHECK(on.at.answer() == R"({"taken":true,"unknown":[]})");
  on.at.report(player_in(1), "gone:5");
  on.at.report(player_in(1), german_latencies);
  CHECK(on.at.answer() == R"({"taken":false,"why":"too_soon","unknown":[]})");
}

TEST_CASE("a report is answered with what became of it") {
  lone_bench on;
  const auto asked = on.at.report(player_in(1), german_latencies);
  REQUIRE(on.at.log->made.size() == 1);
  CHECK(on.at.log->made[0].exchange == asked);
  CHECK(on.at.answer() == R"({"taken":true,"unknown":[]})");
  on.at.report(player_in(2), "fra:40,gone:5");
  CHECK(on.at.answer() == R"({"taken":true,"unknown":["gone"]})");
  on.at.report(player_in(3), "gone:5");
  CHECK(on.at.answer() == R"({"taken":false,"why":"unknown_regions","unknown":["gone"]})");
  on.at.report(player_in(4), "nrt:3");
  CHECK(on.at.answer() == R"({"taken":false,"why":"implausible","unknown":[]})");
  on.at.report(player_in(1), german_latencies);
  CHECK(on.at.answer() == R"({"taken":false,"why":"too_soon","unknown":[]})");
  CHECK(on.at.metrics.reports[std::size_t{3}].get() == 1);
  on.pass(report_interval);
  on.at.report(player_in(1), german_latencies);
  CHECK(on.at.answer() == R"({"taken":true,"unknown":[]})");

  process off{on, on.clock, nullptr, false};
  off.subscribe();
  off.report(player_in(1), german_latencies);
  CHECK(off.answer() == R"({"taken":false,"why":"learning_off","unknown":[]})");
  REQUIRE(off.with.latency_gate->enter());
  caf::anon_send(off.map, latencies_heard{player_in(2), measured(german_latencies)});
  on.run();
  CHECK(off.with.latency_gate->waiting() == 0);
  on.pass(latency_map::publish_interval);
  CHECK(off.told() == nullptr);
}

TEST_CASE("latencies of listings are learned and give their place back") {
  lone_bench on;
  REQUIRE(on.at.with.latency_gate->enter());
  caf::anon_send(on.at.map, latencies_heard{player_in(1), measured(german_latencies)});
  on.run();
  CHECK(on.at.with.latency_gate->waiting() == 0);
  CHECK(on.at.log->made.empty());
  on.pass(latency_map::publish_interval);
  REQUIRE(on.at.told() != nullptr);
  CHECK(reports_of(*on.at.told(), near_frankfurt) > 0.5);
  // A list of which nothing can be true does not take the client's interval.
  auto& gate = *on.at.with.latency_gate;
  const auto impossible = [&](double latency_ms) {
    auto all = measured(german_latencies);
    for (auto& each : all)
      each.milliseconds = latency_ms;
    return all;
  };
  for (const auto& [of, is_forgotten] :
       {std::pair{impossible(0), true}, std::pair{impossible(20), false}}) {
    on.pass(report_interval);
    REQUIRE(gate.takes(player_in(1)));
    REQUIRE(gate.enter());
    caf::anon_send(on.at.map, latencies_heard{player_in(1), of});
    on.run();
    CHECK(gate.takes(player_in(1)) == is_forgotten);
  }
}

TEST_CASE("rankings are told once a second, and only when there is news") {
  lone_bench on;
  on.pass(3s);
  CHECK(on.at.times_told() == 0);
  on.at.report_from_germany(3);
  CHECK(on.at.times_told() == 0);
  on.pass(999ms);
  CHECK(on.at.times_told() == 0);
  on.pass(1ms);
  CHECK(on.at.times_told() == 1);
  for (int i = 0; i < 3; ++i)
    on.pass(1s);
  CHECK(on.at.times_told() == 1);
  on.at.report(player_in(100), german_latencies);
  on.at.report(player_in(101), german_latencies);
  on.pass(1s);
  CHECK(on.at.times_told() == 2);
  // The fit of the prior, ten seconds after the first.
  for (int i = 0; i < 20; ++i)
    on.pass(1s);
  CHECK(on.at.times_told() == 3);
}

TEST_CASE("a subscriber gets the known latencies at once") {
  lone_bench on;
  on.at.subscribe();
  CHECK(on.at.times_told() == 0);
  on.at.report_from_germany(3);
  on.pass(1s);
  CHECK(on.at.times_told() == 1);
  on.at.subscribe();
  CHECK(on.at.times_told() == 2);
  CHECK(on.at.ranking_log->latencies[0].latencies == on.at.ranking_log->latencies[1].latencies);
}

TEST_CASE("new catalogs and GeoIP files count from the next report on") {
  lone_bench on;
  auto more = three_regions();
  more->regions.push_back({"syd", "Sydney", "Cloud", {-33, 151}});
  on.at.report(player_in(1), "syd:290");
  CHECK(on.at.answer() == R"({"taken":false,"why":"unknown_regions","unknown":["syd"]})");
  caf::anon_send(on.at.map, catalog_changed{more});
  on.at.report(player_in(2), "syd:290");
  CHECK(on.at.answer() == R"({"taken":true,"unknown":[]})");
  caf::anon_send(
      on.at.map,
      geoip_changed{std::make_shared<fake_geoip>(
          std::vector<std::pair<std::uint8_t, model::coordinates>>{{german, near_tokyo}})});
  on.at.report(player_in(3), "nrt:4");
  CHECK(on.at.answer() == R"({"taken":true,"unknown":[]})");
}

TEST_CASE("learned latencies reach other processes through the store") {
  latency_map_bench on;
  process here{on, on.clock, on.store.store()};
  process there{on, on.clock, on.store.store()};
  here.subscribe();
  there.subscribe();
  CHECK(here.keep()); // each looks as soon as it starts
  CHECK(there.keep());
  here.report_from_germany(10);
  on.pass(keep_interval);
  CHECK(here.keep());
  CHECK(there.keep());
  on.pass(keep_interval);
  CHECK(there.keep());
  on.pass(1s);
  REQUIRE(there.told() != nullptr);
  CHECK(reports_of(*there.told(), near_frankfurt) == Approx(10).epsilon(0.05));
  CHECK(reports_of(*there.told(), near_frankfurt) == reports_of(*here.told(), near_frankfurt));
  // Networks of one player each stay where they are.
  const auto network = model::network_cell(player_in(1));
  CHECK_FALSE(here.told()->find(network).empty());
  CHECK(there.told()->find(network).empty());
}

TEST_CASE("the store is read by one task at a time, once an interval") {
  lone_bench on;
  CHECK(on.at.pool.tasks.size() == 1);
  on.pass(10 * keep_interval);
  CHECK(on.at.pool.tasks.size() == 1); // a slow store does not pile up tasks
  CHECK(on.at.keep());
  CHECK(on.at.pool.tasks.empty());
  on.pass(keep_interval - 1ms);
  CHECK(on.at.pool.tasks.empty());
  on.pass(1ms);
  CHECK(on.at.pool.tasks.size() == 1);
}

TEST_CASE("a store with more than one batch is read at once") {
  latency_map_bench on;
  constexpr std::size_t count = 5 * store::latency_batch_limit;
  std::vector<model::learned_entry> many;
  for (std::uint32_t number = 1; number <= count; ++number) {
    const auto minute = static_cast<std::uint32_t>(on.clock.unix_ms() / ms_per_minute);
    many.push_back(
        {{2ULL << model::latency_cell::kind_shift | number}, "fra", {50, 8}, {{0, 32, 1, minute}}});
    if (many.size() < store::latency_batch_limit) continue;
    REQUIRE(on.store.latencies.add(many));
    many.clear();
  }
  process at{on, on.clock, on.store.store()};
  CHECK(at.keep());
  CHECK(at.keep()); // without time passing
  CHECK_FALSE(at.keep());
  on.pass(1s);
  CHECK(at.metrics.entries.get() == std::int64_t{count});
}

TEST_CASE("latencies that nobody reported for eight weeks are removed from the store") {
  latency_map_bench on;
  model::learned_entry each{model::place_cell({50, 8}), "fra", {50, 8}, {{0, 32, 1, 0}}};
  const auto now = static_cast<std::uint32_t>(on.clock.unix_ms() / ms_per_minute);
  constexpr std::uint32_t eight_weeks = 8 * 7 * 24 * 60;
  each.voices[0].minute = now - eight_weeks - 1;
  REQUIRE(on.store.latencies.add({&each, 1}));
  each.cell = model::place_cell({51, 8});
  each.voices[0].minute = now - eight_weeks + 30;
  REQUIRE(on.store.latencies.add({&each, 1}));
  const auto kept = [&] { return on.store.latencies.read({}, 10).entries.size(); };
  process at{on, on.clock, on.store.store()};
  CHECK(at.keep());
  CHECK(kept() == 1);
  // The next time after an hour.
  on.pass(40min);
  CHECK(at.keep());
  CHECK(kept() == 1);
  on.pass(20min);
  CHECK(at.keep());
  CHECK(kept() == 0);
}

TEST_CASE("without a store, what is learned is used all the same") {
  latency_map_bench on;
  process at{on, on.clock, nullptr};
  at.subscribe();
  at.report_from_germany(3);
  on.pass(10s);
  CHECK(at.pool.tasks.empty());
  CHECK(at.told() != nullptr);
}

/// Lines of the log while it exists.
class seen_lines {
public:
  seen_lines() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("seen", sink_)); }
  seen_lines(const seen_lines&) = delete;
  seen_lines& operator=(const seen_lines&) = delete;
  ~seen_lines() { spdlog::set_default_logger(usual_); }

  std::size_t with(std::string_view text) const {
    const auto all = sink_->last_formatted();
    return static_cast<std::size_t>(std::ranges::count_if(
        all, [text](const auto& line) { return line.find(text) != std::string::npos; }));
  }

private:
  std::shared_ptr<spdlog::sinks::ringbuffer_sink_mt> sink_ =
      std::make_shared<spdlog::sinks::ringbuffer_sink_mt>(100);
  std::shared_ptr<spdlog::logger> usual_ = spdlog::default_logger();
};

TEST_CASE("while the store fails, learned latencies wait in memory") {
  lone_bench on;
  const seen_lines lines;
  CHECK(on.at.keep());
  on.store.failing = true;
  for (int i = 0; i < 5; ++i) {
    on.at.report(player_in(static_cast<std::uint8_t>(i)), german_latencies);
    on.pass(keep_interval);
    CHECK(on.at.keep());
  }
  CHECK(on.at.metrics.keep_failures.get() == 5);
  CHECK(lines.with("latencies:") == 1);
  CHECK(on.store.latencies.read({}, 10).entries.empty());
  on.pass(1s);
  CHECK(on.at.metrics.unkept.get() > 0);
  CHECK(on.at.told() != nullptr);

  on.store.failing = false;
  on.pass(keep_interval);
  CHECK(on.at.keep());
  const auto kept = on.store.latencies.read({}, 10).entries;
  REQUIRE(kept.size() == 3);
  CHECK(kept[0].voices.size() == 5);
  // The next outage is said again.
  on.store.failing = true;
  on.pass(keep_interval);
  CHECK(on.at.keep());
  CHECK(lines.with("latencies:") == 2);
}

TEST_CASE("a full pool is tried again, and loses nothing") {
  lone_bench on;
  CHECK(on.at.keep());
  on.at.pool.full = true;
  on.at.report_from_germany(4);
  on.pass(keep_interval);
  CHECK(on.at.pool.tasks.empty());
  on.at.pool.full = false;
  on.pass(keep_interval);
  CHECK(on.at.keep());
  const auto kept = on.store.latencies.read({}, 10).entries;
  REQUIRE(kept.size() == 3);
  CHECK(kept[0].voices.size() == 4);
}

TEST_CASE("a successor knows what its predecessor learned") {
  lone_bench on;
  on.at.report_from_germany(10);
  on.pass(1s);
  const auto before = on.at.told();
  REQUIRE(before != nullptr);
  on.kill(on.at.map);
  CHECK(on.at.with.latency_gate->enter()); // for one that is gone
  on.at.start();
  CHECK(on.at.pool.tasks.size() == 1); // the predecessor's look, which is still under way
  CHECK(on.at.with.latency_gate->waiting() == 0);
  on.at.subscribe();
  on.pass(1s);
  CHECK(on.at.told() == before);
  CHECK(on.at.keep());
  on.pass(keep_interval); // takes what came of that
  on.pass(keep_interval);
  CHECK(on.at.keep());
  CHECK(on.store.latencies.read({}, 10).entries.size() == 3);
}

TEST_CASE("a successor stores what its predecessor could not") {
  lone_bench on;
  CHECK(on.at.keep());
  on.at.report_from_germany(10);
  on.pass(keep_interval);
  on.kill(on.at.map);
  on.store.failing = true;
  on.at.start();
  CHECK(on.at.keep());
  CHECK(on.store.latencies.read({}, 10).entries.empty());
  on.store.failing = false;
  on.pass(keep_interval);
  on.pass(keep_interval);
  CHECK(on.at.keep());
  CHECK(on.store.latencies.read({}, 10).entries.size() == 3);
}

TEST_CASE("a successor remembers who reported") {
  lone_bench on;
  on.at.report(player_in(1), german_latencies);
  on.kill(on.at.map);
  on.at.pool.tasks.clear();
  on.at.start();
  on.at.report(player_in(1), german_latencies);
  CHECK(on.at.answer() == R"({"taken":false,"why":"too_soon","unknown":[]})");
}

TEST_CASE("an injected crash ends the map, at a report and at news") {
  lone_bench on;
  inject(fault_point::latency_map_receive, fault_kind::crash);
  on.at.report(player_in(1), german_latencies);
  CHECK(on.at.dead);
  CHECK(on.at.log->made.empty());
  base::faults::clear_all();
  on.at.pool.tasks.clear();
  on.at.start();
  on.at.subscribe();

  inject(fault_point::latency_map_receive, fault_kind::crash);
  REQUIRE(on.at.with.latency_gate->enter());
  caf::anon_send(on.at.map, latencies_heard{player_in(2), measured(german_latencies)});
  on.run();
  CHECK(on.at.dead);
  CHECK(on.at.with.latency_gate->waiting() == 0);
  base::faults::clear_all();
  on.at.pool.tasks.clear();
  on.at.start();
  on.at.subscribe();

  on.at.report(player_in(3), german_latencies);
  CHECK(on.at.answer() == R"({"taken":true,"unknown":[]})");
  inject(fault_point::latency_map_reply, fault_kind::crash);
  on.pass(1s);
  CHECK(on.at.dead);
  CHECK(on.at.times_told() == 0);
}

} // namespace
} // namespace matchcloud::actors
