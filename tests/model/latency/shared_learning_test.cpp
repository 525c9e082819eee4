#include "model/latency/learner.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace matchcloud::model;

constexpr std::int64_t shared_begin_ms = 1'700'000'000'000;
constexpr std::int64_t minute_ms = 60'000;
constexpr coordinates in_paris{48.8566, 2.3522};

const std::vector<latency_region>& shared_regions() {
  static const std::vector<latency_region> all{{"ams", {52.37, 4.90}},
                                               {"fra", {50.11, 8.68}},
                                               {"iad", {39.04, -77.49}},
                                               {"lon", {51.51, -0.13}},
                                               {"sin", {1.35, 103.82}}};
  return all;
}

latency_learner shared_learner(std::size_t unkept_limit = 10'000) {
  learner_settings settings;
  settings.entry_limit = 16'384;
  settings.unkept_limit = unkept_limit;
  latency_learner made{settings};
  made.set_regions(shared_regions());
  return made;
}

/// The address of a player in a network.
ip_address player_address(std::uint8_t network, std::uint8_t player = 1) {
  return ip_address::from_v4(std::array<std::uint8_t, 4>{192, 0, network, player});
}

client_cells client_in(std::uint8_t network, const coordinates& where = in_paris) {
  return {network_cell(player_address(network)), where};
}

const std::vector<region_latency> usual_report{{0, 14}, {1, 12}, {2, 82}, {3, 9}};

std::vector<latency_prediction> predictions(latency_learner& by, const client_cells& client) {
  by.refit();
  const auto snapshot = by.publish();
  std::vector<region_distance> distances;
  for (std::size_t i = 0; i < shared_regions().size(); ++i)
    distances.push_back(
        {static_cast<std::uint16_t>(i), great_circle_m(*client.where, shared_regions()[i].where)});
  std::vector<latency_prediction> made(shared_regions().size());
  predict_latencies(*snapshot, client, distances, made);
  return made;
}

/// What learners have in common: what each has added, merged.
class kept {
public:
  /// Does what a process does every few seconds. If `fails`, nothing gets there.
  void exchange_with(latency_learner& one, bool fails = false) {
    const auto learned = one.take_unkept();
    if (fails) return one.give_back(learned);
    add(learned);
    for (const auto& [key, each] : rows_)
      one.put(each);
  }
  void add(std::span<const learned_entry> learned) {
    for (const auto& each : learned) {
      const auto [at, is_new] = rows_.try_emplace({each.cell.key, each.region_id}, each);
      if (!is_new) merge(at->second, each);
    }
  }
  const auto& rows() const noexcept { return rows_; }

private:
  std::map<std::pair<std::uint64_t, std::string>, learned_entry> rows_;
};

bool has_network(const kept& in) {
  return std::ranges::any_of(
      in.rows(), [](const auto& row) { return row.second.cell.kind() == cell_kind::network; });
}

TEST_CASE("What is taken to be kept is taken once, in the names of regions") {
  auto learner = shared_learner();
  CHECK(learner.take_unkept().empty());
  learner.add({client_in(1), usual_report, shared_begin_ms, 1});
  const auto taken = learner.take_unkept();
  REQUIRE(taken.size() == usual_report.size()); // of the place; the network has one reporter
  CHECK(learner.unkept() == 0);
  CHECK(learner.take_unkept().empty());
  const auto london = std::ranges::find_if(taken, [](const learned_entry& each) {
    return each.region_id == "lon" && each.cell == place_cell(in_paris);
  });
  REQUIRE(london != taken.end());
  CHECK(london->region_at == shared_regions()[3].where);
  CHECK(london->minute() == shared_begin_ms / minute_ms);
  REQUIRE(london->voices.size() == 1);
  CHECK(london->voices[0].milliseconds() == 9);
}

TEST_CASE("Without a place to keep it, nothing waits to be kept") {
  auto learner = shared_learner(0);
  for (std::uint64_t i = 0; i < 10; ++i)
    learner.add({client_in(1), usual_report, shared_begin_ms, i});
  CHECK(learner.unkept() == 0);
  CHECK(learner.take_unkept().empty());
  CHECK(learner.unkept_left_out() == 0);
}

TEST_CASE("A network that fewer than five have reported from is never kept") {
  auto learner = shared_learner();
  kept store;
  for (std::uint64_t reporter = 0; reporter < 4; ++reporter)
    for (int i = 0; i < 20; ++i)
      learner.add({client_in(1), usual_report, shared_begin_ms, reporter});
  store.exchange_with(learner);
  CHECK_FALSE(has_network(store));
  CHECK_FALSE(store.rows().empty());
  learner.add({client_in(1), usual_report, shared_begin_ms, 4});
  store.exchange_with(learner);
  CHECK(has_network(store));
  // All that was learned of it, not the last report alone.
  for (const auto& [key, each] : store.rows())
    if (each.cell.kind() == cell_kind::network) CHECK(each.voices.size() == 5);
}

TEST_CASE("What others keep of a network adds to what few have reported here") {
  auto one = shared_learner();
  auto other = shared_learner();
  kept store;
  for (std::uint64_t reporter = 0; reporter < 3; ++reporter)
    one.add({client_in(1), usual_report, shared_begin_ms, reporter});
  for (std::uint64_t reporter = 3; reporter < 8; ++reporter)
    other.add({client_in(1), usual_report, shared_begin_ms, reporter});
  store.exchange_with(other);
  store.exchange_with(one);
  store.exchange_with(one);
  store.exchange_with(other);
  for (const auto& [key, each] : store.rows())
    if (each.cell.kind() == cell_kind::network) {
      CHECK(each.voices.size() == 8);
    }
  CHECK(predictions(one, client_in(1))[3].milliseconds ==
        Approx(predictions(other, client_in(1))[3].milliseconds));
}

TEST_CASE("What could not be kept waits again, with what was learned since") {
  auto learner = shared_learner();
  learner.add({client_in(1), usual_report, shared_begin_ms, 1});
  const auto taken = learner.take_unkept();
  learner.add({client_in(2), usual_report, shared_begin_ms, 2});
  learner.give_back(taken);
  for (const auto& each : learner.take_unkept())
    CHECK(each.voices.size() == 2);
}

TEST_CASE("Only what means something here is taken over") {
  auto learner = shared_learner();
  const learned_entry entry{place_cell(in_paris),
                            "lon",
                            shared_regions()[3].where,
                            {{0, voice::steps_of(9), 1, shared_begin_ms / minute_ms}}};
  auto unknown = entry;
  unknown.region_id = "gone";
  learner.put(unknown);
  auto moved = entry;
  moved.region_at = {53.4, -2.2};
  learner.put(moved);
  auto damaged = entry;
  damaged.voices.clear();
  learner.put(damaged);
  CHECK(learner.entries() == 0);
  learner.put(entry);
  CHECK(learner.entries() == 1);
  // It came from there, and need not go back.
  CHECK(learner.unkept() == 0);
}

/// Some learner learns something by chance.
void report_by_chance(std::span<latency_learner*> to, std::mt19937_64& random,
                      std::int64_t time_ms) {
  const auto network = static_cast<std::uint8_t>(random() % 6);
  const coordinates where{48.0 + network % 3, 2.0 + network % 2};
  std::uniform_real_distribution<double> noise{0.9, 1.3};
  auto latencies = usual_report;
  for (auto& each : latencies)
    each.milliseconds *= noise(random) * (1 + network * 0.1);
  if (random() % 8 == 0) latencies[random() % 4].milliseconds = 300;
  to[random() % to.size()]->add({client_in(network, where), latencies, time_ms, random() % 12});
}

TEST_CASE("Learners that exchange what they learned end with the same predictions") {
  REQUIRE(rc::check("any reports, exchanges and failures", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    const auto count = *rc::gen::inRange(1, 300);
    auto a = shared_learner();
    auto b = shared_learner();
    std::array<latency_learner*, 2> both{&a, &b};
    kept store;
    std::int64_t now = shared_begin_ms;
    for (int i = 0; i < count; ++i) {
      now += static_cast<std::int64_t>(random() % (90 * minute_ms));
      report_by_chance(both, random, now);
      if (random() % 5 == 0) store.exchange_with(*both[random() % 2], random() % 3 == 0);
    }
    // A network that few reported here and five elsewhere is kept by a second exchange.
    for (int round = 0; round < 3; ++round)
      for (auto* each : both)
        store.exchange_with(*each);
    RC_ASSERT(a.unkept() == 0U);
    RC_ASSERT(b.unkept() == 0U);
    // One that starts with what is kept knows the same.
    auto c = shared_learner();
    store.exchange_with(c);
    for (std::uint8_t network = 0; network < 8; ++network) {
      // A network of this learner alone tells it more than others know.
      auto client = client_in(network, {48.0 + network % 3, 2.0 + network % 2});
      client.network = network_cell(player_address(200));
      const auto one = predictions(a, client);
      const auto other = predictions(b, client);
      const auto third = predictions(c, client);
      for (std::size_t i = 0; i < one.size(); ++i) {
        RC_ASSERT(one[i].source == other[i].source);
        RC_ASSERT(std::abs(one[i].milliseconds - other[i].milliseconds) < 0.001);
        RC_ASSERT(std::abs(one[i].milliseconds - third[i].milliseconds) < 0.001);
      }
    }
  }));
}

TEST_CASE("Each report is kept once, however exchanges go") {
  REQUIRE(rc::check("any exchanges and failures", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    const auto count = *rc::gen::inRange(1, 60);
    auto a = shared_learner();
    auto b = shared_learner();
    std::array<latency_learner*, 2> both{&a, &b};
    kept store;
    // Reports of one place, each from a network of its own.
    for (int i = 0; i < count; ++i) {
      both[random() % 2]->add({client_in(static_cast<std::uint8_t>(i)), usual_report,
                               shared_begin_ms, static_cast<std::uint64_t>(i)});
      if (random() % 4 == 0) store.exchange_with(*both[random() % 2], random() % 2 == 0);
    }
    for (auto* each : both)
      store.exchange_with(*each);
    const auto& place = store.rows().at({place_cell(in_paris).key, "lon"});
    RC_ASSERT(place.voices.size() ==
              std::min<std::size_t>(static_cast<std::size_t>(count), voice_limit));
  }));
}

} // namespace
