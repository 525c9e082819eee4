// Injects each fault at each fault point in turn, under a known load on the built program: every
// request is answered, nothing leaks, and the service works again within a second after the fault
// is removed.
#include "base/owner.hpp"
#include "tests/catch.hpp"
#include "tests/faults/clients.hpp"
#include "tests/faults/fault_control.hpp"
#include "tests/faults/known_load.hpp"
#include "tests/faults/probed_service.hpp"
#include "tests/fixtures/replaced_file.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace matchcloud::faults {

namespace {

namespace fs = std::filesystem;
using namespace e2e;
using base::fault_kind;
using base::fault_point;

constexpr std::size_t chaos_clients = 4;

std::size_t descriptors_of(const server& of) {
  const fs::path folder =
      "/proc/" + std::to_string(const_cast<server&>(of).process().pid()) + "/fd";
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

std::size_t resident_kib_of(const server& of) {
  std::ifstream status{"/proc/" + std::to_string(const_cast<server&>(of).process().pid()) +
                       "/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  return 0;
}

/// Calls `use` with each fault that does not end the process; under sanitizers with a third of
/// them.
template <class Use>
void for_each_fault(Use use) {
  for (std::size_t i = 0; i < base::fault_point_count; ++i)
    for (std::size_t k = 1; k < base::fault_kind_names.size(); ++k) {
      const auto kind = static_cast<fault_kind>(k);
      if (kind == fault_kind::abort || !base::fault_points[i].kinds.has(kind)) continue;
      if (!is_passed(static_cast<fault_point>(i))) continue;
      if (!sanitized || (i + k) % 3 == 0) use(static_cast<fault_point>(i), kind);
    }
}

/// A service into which faults are injected and from which they are removed.
struct chaos_bench {
  world in;
  server service;
  known_load load{in, service};
  int geoip_turn = 0;

  explicit chaos_bench(const arguments& flags = impatient())
      : service{breakable([&] {
                  auto all = flags;
                  all.insert(all.end(), {"--geoip", in.geoip()});
                  return all;
                }()),
                in} {}

  /// Triggers what the actors otherwise do only now and then.
  void stir(fault_point at) {
    fixtures::rename_over(in.geoip(), fixtures::mmdb_of_place(++geoip_turn % 90, 8));
    if (is_supervisors(at))
      inject(service.ops(), fault_point::region_ranking_receive, R"({"kind":"crash","every":5})");
  }

  /// Runs the load while the fault is injected. Removes the fault before waiting for the last
  /// answers.
  tally break_at(fault_point at, fault_kind kind, std::uint64_t& hits) {
    inject(service.ops(), at, rule_of(at, kind));
    stir(at);
    tally all;
    std::thread asker{
        [&] { all = known_load::repeat(chaos_clients, 2, [&] { return load.ask_all(); }); }};
    const deadline least{in_force};
    const bool struck = eventually([&] { return hits_of(service.ops(), at) > 0 && least.passed(); },
                                   deadline{milliseconds{5'000}});
    hits = struck ? hits_of(service.ops(), at) : 0;
    CHECK(ask_ops(service.ops(), "GET", "/healthz").status == 200);
    heal(service.ops());
    asker.join();
    return all;
  }

  /// Whether the service answers clients correctly and reports ready.
  bool is_back() const { return load.ask_reading().is_perfect() && service.ready_status() == 200; }
  /// Whether everything works again. Exports and changes wait for the disk and get more time.
  bool is_well() const {
    return load.ask_all().is_perfect() && service.metric("matchcloud_requests_in_flight") == 0;
  }
  void check_heals() const {
    INFO(to_string(load.ask_all()));
    CHECK(eventually([&] { return is_back(); }, deadline{healing_limit}));
    CHECK(eventually([&] { return is_well(); }));
  }
  /// Checks that the service survives a fault under load, answers everything and recovers.
  void check_survives(fault_point at, fault_kind kind) {
    const auto what = std::string{facts_of(at).name} + " " + std::string{name_of(kind)};
    CAPTURE(what);
    std::uint64_t hits = 0;
    const auto all = break_at(at, kind, hits);
    INFO(to_string(all));
    CHECK(hits > 0);
    CHECK(all.answers + all.broken == all.requests);
    if (!is_of_the_wire(at)) {
      CHECK(all.broken == 0);
      CHECK(all.wrong.empty());
      for (const auto& [status, count] : all.statuses) {
        CAPTURE(status);
        CHECK(may_be_answered(at, status));
      }
    }
    check_heals();
    check_leaks_nothing();
    REQUIRE(service.process().running());
  }
  void check_leaks_nothing() const {
    CHECK(eventually([&] { return service.metric("matchcloud_requests_in_flight") == 0; }));
    for (const auto name : base::owner_names) {
      if (name.empty() || name == name_of(base::owner::reports))
        continue; // holds the request for the metrics
      CAPTURE(name);
      const auto label = "{owner=\"" + std::string{name} + "\"}";
      CHECK(eventually([&] { return service.metric("matchcloud_mailbox_requests" + label) == 0; }));
    }
    for (const auto* name : {"matchcloud_exports_running", "matchcloud_exports_queued",
                             "matchcloud_exports_waiting", "matchcloud_blocking_jobs_queued"}) {
      CAPTURE(name);
      CHECK(eventually([&] { return service.metric(name) == 0; }));
    }
  }
};

} // namespace

TEST_CASE("every fault at every point is survived, answered and healed within a second",
          "[chaos]") {
  chaos_bench on;
  // Memory grows when pools, caches and threads are first created: the second lap shows whether it
  // keeps growing.
  const auto laps = setting("MATCHCLOUD_SOAK_LAPS", 1);
  std::size_t faults = 0;
  for (std::uint64_t lap = 0; lap < laps; ++lap) {
    const auto descriptors = descriptors_of(on.service);
    const auto before_kib = resident_kib_of(on.service);
    for_each_fault([&](fault_point at, fault_kind kind) {
      ++faults;
      on.check_survives(at, kind);
    });
    CHECK(eventually([&] { return descriptors_of(on.service) <= descriptors + 16; }));
    const auto now_kib = resident_kib_of(on.service);
    std::cout << "faults: " << faults << " so far; resident memory was " << before_kib
              << " KiB and is " << now_kib << " KiB" << std::endl;
    const auto most_kib = (lap == 0 ? 48UL : 8UL) * 1024;
    if (!sanitized) CHECK(now_kib < before_kib + most_kib);
  }
}

TEST_CASE("a reply that is lost ends in 504, and leaves no request, permit or waiter behind",
          "[crash]") {
  chaos_bench on;
  for (const auto at :
       {fault_point::validator_reply, fault_point::region_ranking_reply, fault_point::media_reply,
        fault_point::avatar_reply, fault_point::lobby_export_reply,
        fault_point::export_download_reply, fault_point::latency_map_reply,
        fault_point::front_dispatch, fault_point::front_reply}) {
    CAPTURE(facts_of(at).name);
    inject(on.service.ops(), at, R"({"kind":"drop"})");
    auto all = on.load.ask_reading();
    if (at == fault_point::lobby_export_reply) all += on.load.ask_export();
    INFO(to_string(all));
    if (at != fault_point::export_download_reply) CHECK(all.statuses.contains(504));
    CHECK(all.answers == all.requests);
    heal(on.service.ops());
    on.check_leaks_nothing();
    CHECK(eventually([&] { return on.is_well(); }));
  }
}

TEST_CASE("with crashes in one of a hundred messages every idempotent request succeeds",
          "[crash]") {
  chaos_bench on{{}};
  std::size_t requests = 0;
  for (std::size_t i = 0; i < base::fault_point_count; ++i) {
    const auto at = static_cast<fault_point>(i);
    if (!facts_of(at).kinds.has(fault_kind::crash)) continue;
    CAPTURE(facts_of(at).name);
    const auto before = restarts_of(on.service);
    // At least 50 messages lie between two crashes: with chance alone, one request in a million
    // would meet the three crashes that end it with 503.
    inject(on.service.ops(), at, R"({"kind":"crash","probability":0.5,"every":50})");
    const auto turns = sanitized ? 30 : 100;
    const auto all =
        known_load::repeat(chaos_clients, turns, [&] { return on.load.ask_reading(); });
    auto exported = known_load::repeat(chaos_clients, 3, [&] { return on.load.ask_export(); });
    const auto hits = hits_of(on.service.ops(), at);
    heal(on.service.ops());
    INFO(to_string(all));
    INFO(to_string(exported));
    CHECK(all.is_perfect());
    CHECK(exported.is_perfect());
    if (!is_supervisors(at)) CHECK(restarts_of(on.service) >= before + hits);
    requests += all.requests + exported.requests;
  }
  std::cout << "faults: " << requests << " requests, " << restarts_of(on.service)
            << " restarts, every answer 200" << std::endl;
  CHECK(restarts_of(on.service) > 10);
  on.check_heals();
  on.check_leaks_nothing();
}

TEST_CASE("a process that a fault aborts starts again, with everything that it acknowledged",
          "[crash]") {
  world in;
  for (std::size_t i = 0; i < base::fault_point_count; ++i) {
    const auto at = static_cast<fault_point>(i);
    if (!facts_of(at).kinds.has(fault_kind::abort) || !is_passed(at)) continue;
    if (sanitized && i % 4 != 0) continue;
    CAPTURE(facts_of(at).name);
    auto flags = impatient();
    flags.insert(flags.end(), {"--geoip", in.geoip()});
    server service{breakable(flags), in};
    known_load load{in, service};
    REQUIRE(put_region(service.ops(), "gru", std::string{facts_of(at).name}).status < 300);
    inject(service.ops(), at, R"({"kind":"abort","once":true})");
    fixtures::rename_over(in.geoip(), fixtures::mmdb_of_place(static_cast<double>(i), 8));
    if (is_supervisors(at)) {
      try {
        inject(service.ops(), fault_point::region_ranking_receive,
               R"({"kind":"crash","once":true})");
      } catch (const std::runtime_error&) {
        // The process exited before it answered.
      }
    }
    std::optional<int> code;
    const deadline until;
    while (!(code = service.process().exit_code(deadline{milliseconds{50}})) && !until.passed())
      try {
        static_cast<void>(load.ask_all());
      } catch (const std::exception&) {
        // The answer was cut off by the crash.
      }
    CHECK(code == 128 + SIGABRT);
    server next{{"--geoip", in.geoip()}, in};
    CHECK(region_name(next.ops(), "gru") == facts_of(at).name);
    check_serves(next.data());
  }
}

} // namespace matchcloud::faults
