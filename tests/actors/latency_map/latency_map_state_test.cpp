#include "actors/latency_map/latency_map_state.hpp"

#include "actors/latency_map/report_gate.hpp"
#include "model/latency/predictor.hpp"
#include "store/geoip/geoip.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/latency_reports.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace matchcloud::actors {
namespace {

using namespace fixtures;

constexpr std::int64_t now_ms = 1'700'000'000'000;
constexpr std::int64_t second_ms = 1'000;

struct latency_map_state_bench {
  latency_metrics metrics;
  latency_config config{.entry_limit = 4'096};
  latency_map_state state;

  explicit latency_map_state_bench(bool keeps = true) : state{config, metrics, keeps} {
    state.set_catalog(three_regions());
    state.set_geoip(latency_geoip());
  }
  latency_map_state::answer report(const model::ip_address& from, std::string_view latencies) {
    return state.report(from, measured(latencies), now_ms);
  }
  std::uint64_t counted(latency_outcome which) {
    return metrics.reports[static_cast<std::size_t>(which)].get();
  }
};

/// What is predicted for a client and a region of `three_regions`.
model::latency_prediction predicted(const model::latency_snapshot& by,
                                    const model::ip_address& client, std::size_t region) {
  const auto where = three_regions()->regions[region];
  const auto cells = store::client_cells_of(latency_geoip().get(), client);
  const auto number = by.field->number_of({where.region_id, where.datacenter_coord});
  const model::region_distance asked{
      number.value_or(model::region_distance::unnumbered),
      cells.where ? model::great_circle_m(*cells.where, where.datacenter_coord) : 0};
  model::latency_prediction made;
  model::predict_latencies(by, cells, {&asked, 1}, {&made, 1});
  return made;
}

bool has_network(std::span<const model::learned_entry> all) {
  return std::ranges::any_of(
      all, [](const auto& each) { return each.cell.kind() == model::cell_kind::network; });
}

TEST_CASE("a report is learned, and its unknown regions are named") {
  latency_map_state_bench on;
  const auto known = on.report(player_in(1), german_latencies);
  CHECK(known.outcome == latency_outcome::learned);
  CHECK(known.unknown.empty());
  const auto some = on.report(player_in(2), "a:5,fra:40,z:7");
  CHECK(some.outcome == latency_outcome::learned);
  CHECK(some.unknown == std::vector<std::string>{"a", "z"});
  CHECK(on.counted(latency_outcome::learned) == 2);
}

TEST_CASE("nothing is learned of a report without known regions") {
  latency_map_state_bench on;
  const auto none = on.report(player_in(1), "a:5");
  CHECK(none.outcome == latency_outcome::unknown_regions);
  CHECK(none.unknown == std::vector<std::string>{"a"});
  CHECK(on.counted(latency_outcome::unknown_regions) == 1);
  CHECK(on.state.publish(now_ms) == nullptr);
}

TEST_CASE("regions that are not open to the client's namespace are unknown to it") {
  latency_map_state_bench on;
  model::game_namespace where;
  where.regions = {"ams"};
  const auto made = on.state.report(player_in(1), measured("ams:9,fra:12"), now_ms, false, &where);
  CHECK(made.outcome == latency_outcome::learned);
  CHECK(made.unknown == std::vector<std::string>{"fra"});
  on.state.publish(now_ms);
  CHECK(on.metrics.entries.get() == 2); // of its network and its place
  CHECK_FALSE(on.state.knows_any(measured("fra:12"), &where));
  CHECK(on.state.knows_any(measured("fra:12,ams:9"), &where));
  where.regions.reset();
  CHECK(on.state.knows_any(measured("fra:12"), &where));
}

TEST_CASE("what no packet can do is implausible") {
  latency_map_state_bench on;
  CHECK(on.report(player_in(1), "nrt:50").outcome == latency_outcome::implausible);
  CHECK(on.report(player_in(1), "fra:2001").outcome == latency_outcome::implausible);
  CHECK(on.report(player_in(1, unknown_place), "fra:0").outcome == latency_outcome::implausible);
  CHECK(on.report(player_in(1), "fra:2000").outcome != latency_outcome::implausible);
  // Nobody knows how far away the client is.
  CHECK(on.report(player_in(1, unknown_place), "nrt:50").outcome == latency_outcome::learned);
  CHECK(on.counted(latency_outcome::implausible) == 3);
}

TEST_CASE("impossible round trips of a listing are left out") {
  latency_map_state_bench on;
  const auto hear = [&](std::string_view rtt) {
    return on.state.report(player_in(1), measured(rtt), now_ms, true).outcome;
  };
  CHECK(hear("ams:0,nrt:50") == latency_outcome::implausible);
  CHECK(hear("ams:0,fra:9,nrt:50") == latency_outcome::learned);
  CHECK(on.metrics.entries.get() == 0);
  on.state.publish(now_ms);
  CHECK(on.metrics.entries.get() == 2); // of its network and its place
}

TEST_CASE("regions beyond the limit have an outcome of their own") {
  latency_map_state_bench on;
  auto many = three_regions();
  for (int i = 0; i < 300; ++i)
    many->regions.push_back({"r" + std::to_string(1'000 + i), "Region", "Cloud", {50, 0.5 * i}});
  std::ranges::sort(many->regions, {}, &model::region::region_id);
  on.state.set_catalog(many);
  const auto made = on.report(player_in(1), "r1299:300");
  CHECK(made.outcome == latency_outcome::too_many_regions);
  CHECK(made.unknown.empty());
}

TEST_CASE("a report that was not taken is counted only") {
  latency_map_state_bench on;
  on.state.count(latency_outcome::too_soon);
  CHECK(on.counted(latency_outcome::too_soon) == 1);
  CHECK(on.state.publish(now_ms) == nullptr);
}

TEST_CASE("memory is taken as reports come in") {
  latency_map_state_bench on;
  CHECK(on.state.publish(now_ms) == nullptr);
  CHECK(on.state.take_unkept().empty());
  on.state.apply({});
  CHECK(on.state.publish(now_ms) == nullptr);
  CHECK(on.metrics.bytes.get() == 0);
  on.report(player_in(1), german_latencies);
  REQUIRE(on.state.publish(now_ms) != nullptr);
  CHECK(on.metrics.bytes.get() > 0);
  // A network and a place, each with three regions.
  CHECK(on.metrics.entries.get() == 6);
  CHECK(on.metrics.evicted.get() == 0);
  CHECK(on.metrics.unkept.get() == 6);
}

TEST_CASE("what did not change is not published again") {
  latency_map_state_bench on;
  on.report(player_in(1), german_latencies);
  const auto first = on.state.publish(now_ms);
  CHECK(on.state.publish(now_ms + second_ms) == first);
  CHECK(on.state.publish(now_ms + 3'600 * second_ms) == first);
  on.report(player_in(2), german_latencies);
  const auto second = on.state.publish(now_ms + 3'600 * second_ms);
  CHECK(second != first);
}

TEST_CASE("the prior is fitted again after ten seconds in which something was learned") {
  latency_map_state_bench on;
  on.report(player_in(1), german_latencies);
  const auto first = on.state.publish(now_ms);
  on.report(player_in(2), german_latencies);
  const auto second = on.state.publish(now_ms + second_ms);
  CHECK(second->field == first->field);
  const auto third = on.state.publish(now_ms + 10 * second_ms);
  CHECK(third->field != second->field);
  CHECK(on.state.publish(now_ms + 30 * second_ms) == third);
}

TEST_CASE("the fastest region is found from what others report") {
  latency_map_state_bench on;
  report_from_germany(on.state, 10, now_ms);
  const auto known = on.state.publish(now_ms);
  const auto amsterdam = predicted(*known, player_in(200), 0);
  const auto frankfurt = predicted(*known, player_in(200), 1);
  CHECK(amsterdam.source == model::latency_source::place);
  CHECK(amsterdam.milliseconds < frankfurt.milliseconds);
}

TEST_CASE("other regions restart reading the store") {
  latency_map_state_bench on;
  const store::latency_position far{7, model::place_cell(near_tokyo), "fra"};
  latencies_kept found;
  found.read = far;
  on.state.apply(found);
  CHECK(on.state.read() == far);
  auto renamed = three_regions();
  renamed->games[0].display_name = "Renamed";
  on.state.set_catalog(renamed);
  CHECK(on.state.read() == far);
  auto moved = three_regions();
  moved->regions[1].datacenter_coord = {48, 2};
  on.state.set_catalog(moved);
  CHECK(on.state.read() == store::latency_position{});
}

TEST_CASE("a read that began before the catalog changed does not count") {
  latency_map_state_bench on;
  latencies_kept found;
  found.after = {5, model::place_cell(near_tokyo), "fra"};
  found.read = {7, model::place_cell(near_tokyo), "fra"};
  on.state.apply(found);
  CHECK(on.state.read() == store::latency_position{});
}

TEST_CASE("nothing is known of a region after it moved") {
  latency_map_state_bench on;
  report_from_germany(on.state, 10, now_ms);
  auto moved = three_regions();
  moved->regions[0].datacenter_coord = {52.5, 5.5};
  on.state.set_catalog(moved);
  const auto known = on.state.publish(now_ms);
  CHECK(known->field->number_of({"ams", {52.5, 5.5}}) == 0); // the number is used again
  CHECK(on.state.report(player_in(50), measured("ams:12"), now_ms).outcome ==
        latency_outcome::learned);
}

TEST_CASE("only latencies learned since a region's move are stored") {
  latency_map_state_bench on;
  report_from_germany(on.state, 10, now_ms);
  auto moved = three_regions();
  moved->regions[0].datacenter_coord = {52.5, 5.5};
  on.state.set_catalog(moved);
  report_from_germany(on.state, 10, now_ms);
  const auto taken = on.state.take_unkept();
  CHECK(taken.size() == 3); // one for each region of the place
  CHECK(std::ranges::count(taken, std::string{"ams"}, &model::learned_entry::region_id) == 1);
}

TEST_CASE("processes share what they learn through the store") {
  latency_map_state_bench here;
  latency_map_state_bench there;
  report_from_germany(here.state, 10, now_ms);
  auto taken = here.state.take_unkept();
  CHECK(taken.size() == 3); // the place; networks have one reporter each
  CHECK(here.state.take_unkept().empty());
  latencies_kept found;
  found.changed = taken;
  found.read = {1, taken.back().cell, taken.back().region_id};
  there.state.apply(found);
  CHECK(there.state.read() == found.read);
  CHECK(there.state.take_unkept().empty());
  const auto mine = here.state.publish(now_ms);
  const auto theirs = there.state.publish(now_ms);
  REQUIRE(theirs != nullptr);
  for (std::size_t region = 0; region < 3; ++region)
    CHECK(predicted(*mine, player_in(200), region).milliseconds ==
          Approx(predicted(*theirs, player_in(200), region).milliseconds).epsilon(0.001));
}

TEST_CASE("what could not be stored is taken again") {
  latency_map_state_bench on;
  report_from_germany(on.state, 3, now_ms);
  latencies_kept failed;
  failed.unkept = on.state.take_unkept();
  failed.failure = base::error{base::errc::store_failed, "no disk"};
  on.report(player_in(77), german_latencies);
  on.state.apply(failed);
  CHECK(on.metrics.keep_failures.get() == 1);
  const auto again = on.state.take_unkept();
  REQUIRE(again.size() == 3);
  for (const auto& each : again)
    CHECK(each.voices.size() == 4);
}

TEST_CASE("networks of fewer than five reporters never leave the process") {
  latency_map_state_bench on;
  for (int round = 0; round < 50; ++round)
    for (std::uint8_t player : {german, german_too})
      on.report(player_in(1, player), german_latencies);
  CHECK_FALSE(has_network(on.state.take_unkept()));
  // Of more than one kind, or one address would do: reporters are told apart by their hash.
  for (int player = 10; player < 200; ++player)
    on.report(player_in(1, static_cast<std::uint8_t>(player)), german_latencies);
  CHECK(has_network(on.state.take_unkept()));
}

TEST_CASE("without a store nothing waits for it") {
  latency_map_state_bench on{false};
  report_from_germany(on.state, 10, now_ms);
  CHECK(on.state.take_unkept().empty());
  on.state.publish(now_ms);
  CHECK(on.metrics.unkept.get() == 0);
}

TEST_CASE("a client of several processes counts as one reporter") {
  latency_map_state_bench here;
  latency_map_state_bench there;
  const auto speaker_in = [](latency_map_state& of) {
    latencies_kept found;
    found.key = base::siphash_key{1, 2};
    of.apply(found);
    of.report(player_in(1), measured(german_latencies), now_ms);
    return of.take_unkept().front().voices.front().speaker;
  };
  CHECK(speaker_in(here.state) == speaker_in(there.state));
}

using namespace std::chrono_literals;

constexpr std::size_t gate_prefix = 64;

struct report_gate_bench {
  manual_clock clock;
  report_gate gate{60s, gate_prefix, clock};

  bool takes(std::string_view address) { return gate.takes(*model::parse_ip_address(address)); }
};

TEST_CASE("a client has one report in an interval") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  CHECK_FALSE(on.takes("192.0.2.1"));
  on.clock.advance(59s);
  CHECK_FALSE(on.takes("192.0.2.1"));
  on.clock.advance(1s);
  CHECK(on.takes("192.0.2.1"));
  CHECK_FALSE(on.takes("192.0.2.1"));
  // What is refused does not begin an interval.
  on.clock.advance(60s);
  CHECK(on.takes("192.0.2.1"));
}

TEST_CASE("a client whose report had nothing usable may report again") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  on.gate.forget(*model::parse_ip_address("192.0.2.2"));
  CHECK_FALSE(on.takes("192.0.2.1"));
  on.gate.forget(*model::parse_ip_address("192.0.2.1"));
  CHECK(on.takes("192.0.2.1"));
}

TEST_CASE("the time of day may jump without a client having more reports") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  on.clock.jump(24h);
  CHECK_FALSE(on.takes("192.0.2.1"));
}

TEST_CASE("each IPv4 address is a client, and each block of IPv6 addresses") {
  report_gate_bench on;
  CHECK(on.takes("192.0.2.1"));
  CHECK(on.takes("192.0.2.2"));
  CHECK(on.takes("2001:db8:0:1::1"));
  CHECK_FALSE(on.takes("2001:db8:0:1:ffff::2"));
  CHECK(on.takes("2001:db8:0:2::1"));
  CHECK_FALSE(on.takes("::ffff:192.0.2.1"));
}

TEST_CASE("the memory of clients is bounded, and none is refused for others") {
  report_gate_bench on;
  constexpr std::uint32_t other_clients = 20 * report_gate::clients_remembered;
  CHECK(on.takes("192.0.2.1"));
  std::uint32_t refused = 0;
  for (std::uint32_t i = 0; i < other_clients; ++i) {
    const std::array<std::uint8_t, 4> octets{10, static_cast<std::uint8_t>(i >> 16U),
                                             static_cast<std::uint8_t>(i >> 8U),
                                             static_cast<std::uint8_t>(i)};
    refused += on.gate.takes(model::ip_address::from_v4(octets)) ? 0 : 1;
  }
  // Two clients are taken for one where 32 bits of their hashes agree, too.
  CHECK(refused <= 3);
  CHECK(on.takes("192.0.2.1"));
}

TEST_CASE("of reports that arrive at once, one is taken") {
  report_gate_bench on;
  for (std::uint8_t round = 0; round < 100; ++round) {
    std::atomic<int> taken{0};
    std::vector<std::thread> loops;
    for (int i = 0; i < 4; ++i)
      loops.emplace_back([&] { taken += on.gate.takes(address_of(round)) ? 1 : 0; });
    for (auto& each : loops)
      each.join();
    CHECK(taken == 1);
  }
}

TEST_CASE("reports of listings that wait are bounded") {
  report_gate_bench on;
  for (std::int64_t i = 0; i < report_gate::waiting_limit; ++i)
    REQUIRE(on.gate.enter());
  CHECK_FALSE(on.gate.enter());
  CHECK(on.gate.waiting() == report_gate::waiting_limit);
  on.gate.leave();
  CHECK(on.gate.enter());
  CHECK_FALSE(on.gate.enter());
  on.gate.free_places();
  CHECK(on.gate.waiting() == 0);
  CHECK(on.gate.enter());
}

} // namespace
} // namespace matchcloud::actors
