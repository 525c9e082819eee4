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

constexpr std::int64_t begin_ms = 1'700'000'000'000;
constexpr std::int64_t hour_ms = 3'600'000;
constexpr coordinates paris{48.8566, 2.3522};

const std::vector<latency_region>& regions() {
  static const std::vector<latency_region> all{{"ams", {52.37, 4.90}},   {"fra", {50.11, 8.68}},
                                               {"iad", {39.04, -77.49}}, {"lon", {51.51, -0.13}},
                                               {"nrt", {35.68, 139.65}}, {"sin", {1.35, 103.82}}};
  return all;
}

learner_settings small(std::size_t unkept_limit = 0) {
  learner_settings settings;
  settings.entry_limit = 16'384;
  settings.unkept_limit = unkept_limit;
  return settings;
}

latency_learner learner_of(learner_settings settings = small()) {
  latency_learner made{settings};
  made.set_regions(regions());
  return made;
}

ip_address address(std::uint32_t number) {
  return ip_address::from_v4(std::array<std::uint8_t, 4>{static_cast<std::uint8_t>(number >> 16U),
                                                         static_cast<std::uint8_t>(number >> 8U),
                                                         static_cast<std::uint8_t>(number), 1});
}

client_cells client_at(const coordinates& where, std::uint32_t network) {
  return {network_cell(address(network)), where};
}

/// What a player in Paris measures; London is the fastest.
std::vector<region_latency> usual(double extra_ms = 0) {
  return {{0, 14 + extra_ms}, {1, 12 + extra_ms}, {2, 82 + extra_ms}, {3, 9 + extra_ms}};
}

std::vector<region_distance> distances_from(const coordinates& where) {
  std::vector<region_distance> all;
  for (std::size_t i = 0; i < regions().size(); ++i)
    all.push_back({static_cast<std::uint16_t>(i), great_circle_m(where, regions()[i].where)});
  return all;
}

std::vector<latency_prediction> predictions(const latency_snapshot& snapshot,
                                            const client_cells& client,
                                            const coordinates& where = paris) {
  std::vector<latency_prediction> made(regions().size());
  predict_latencies(snapshot, client, distances_from(where), made);
  return made;
}

TEST_CASE("With nothing learned, the order is that of distance") {
  auto learner = learner_of();
  const auto snapshot = learner.publish();
  const auto made = predictions(*snapshot, client_at(paris, 1));
  std::vector<std::uint16_t> order;
  rank_by_latency(distances_from(paris), made, order);
  CHECK(order == std::vector<std::uint16_t>{3, 0, 1, 2, 4, 5});
  CHECK(made[0].source == latency_source::distance);
  CHECK(made[0].confidence == 0);
}

TEST_CASE("Ties and regions without a prediction are ordered by distance") {
  const std::vector<region_distance> regions{{0, 3e6}, {1, 2e6}, {2, 1e6}, {3, 5e5}};
  std::vector<latency_prediction> made(4);
  made[0] = {20.01, 0.5F, latency_source::place};
  made[1] = {20.03, 0.5F, latency_source::place};
  std::vector<std::uint16_t> order;
  rank_by_latency(regions, made, order);
  CHECK(order == std::vector<std::uint16_t>{1, 0, 3, 2});
}

TEST_CASE("A place is learned from its reports, and a network of its own from its own") {
  auto learner = learner_of();
  for (std::uint32_t i = 0; i < 10; ++i)
    CHECK(learner.add({client_at(paris, i), usual(i % 5), begin_ms, i}));
  const auto snapshot = learner.publish();
  const auto made = predictions(*snapshot, client_at(paris, 500));
  CHECK(made[3].source == latency_source::place);
  CHECK(made[3].milliseconds < made[1].milliseconds);
  CHECK(made[1].milliseconds < made[0].milliseconds);
  CHECK(made[2].milliseconds == Approx(84).epsilon(0.1));
  CHECK(made[2].confidence > 0.5F);
  // Nobody measured Tokyo from here.
  CHECK(made[4].confidence < made[2].confidence);
  // A network of one client says nothing by itself.
  CHECK(predictions(*snapshot, client_at(paris, 3))[3].source == latency_source::place);
  for (std::uint32_t i = 0; i < 2; ++i)
    learner.add({client_at(paris, 3), usual(), begin_ms, i});
  const auto again = learner.publish();
  CHECK(predictions(*again, client_at(paris, 3))[3].source == latency_source::network);
  // Without coordinates, the network still knows.
  client_cells nowhere;
  nowhere.network = network_cell(address(3));
  const auto by_network = predictions(*again, nowhere);
  CHECK(by_network[3].source == latency_source::network);
  CHECK(by_network[4].source == latency_source::nothing);
}

TEST_CASE("A place without reports is predicted from its neighbours") {
  auto learner = learner_of();
  for (std::uint32_t i = 0; i < 20; ++i)
    learner.add({client_at(paris, i), usual(), begin_ms, i});
  learner.refit();
  client_cells client;
  client.where = coordinates{45.76, 4.84};
  CHECK(predictions(*learner.publish(), client, *client.where)[3].source ==
        latency_source::neighbours);
}

TEST_CASE("One network's reports change nothing for other places") {
  auto learner = learner_of();
  learner.refit();
  client_cells client;
  client.where = coordinates{51.5, -0.1};
  const auto before = predictions(*learner.publish(), client, *client.where);
  const std::vector<region_latency> lies{{0, 1'999}, {2, 62}, {3, 1'999}};
  for (std::uint32_t i = 0; i < 50; ++i)
    learner.add({client_at(paris, 1), lies, begin_ms, i});
  learner.refit();
  const auto after = predictions(*learner.publish(), client, *client.where);
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(after[i].milliseconds == before[i].milliseconds);
}

TEST_CASE(
    "A report is refused if it is faster than light in glass, or has no known region or client") {
  auto learner = learner_of();
  const auto add = [&](std::vector<region_latency> latencies, client_cells client) {
    return learner.add({client, latencies, begin_ms, 1});
  };
  CHECK_FALSE(add({{2, 55}}, client_at(paris, 1))); // 61 ms to Ashburn
  CHECK(add({{2, 62}}, client_at(paris, 1)));
  CHECK_FALSE(add({{9, 20}}, client_at(paris, 1)));
  CHECK_FALSE(add({{1, -1}}, client_at(paris, 1)));
  CHECK_FALSE(add({{1, std::nan("")}}, client_at(paris, 1)));
  CHECK_FALSE(add({{1, learned_limit_ms + 1}}, client_at(paris, 1)));
  CHECK_FALSE(add({}, client_at(paris, 1)));
  CHECK_FALSE(add({{1, 20}}, {}));
}

TEST_CASE("Reports that agree with each other win against what distance says") {
  auto learner = learner_of();
  const std::vector<region_latency> detour{{0, 170}, {1, 190}, {2, 85}, {3, 160}};
  for (std::uint32_t i = 0; i < 15; ++i)
    learner.add({client_at(paris, i), detour, begin_ms, i});
  const auto made = predictions(*learner.publish(), client_at(paris, 500));
  CHECK(made[2].milliseconds < made[3].milliseconds);
}

TEST_CASE("A last mile that all of a report has in common does not change differences") {
  auto learner = learner_of();
  for (std::uint32_t i = 0; i < 30; ++i)
    learner.add({client_at(paris, i), usual(i % 2 == 0 ? 0 : 40), begin_ms, i});
  const auto made = predictions(*learner.publish(), client_at(paris, 500));
  CHECK(made[1].milliseconds - made[3].milliseconds == Approx(3).margin(1));
}

TEST_CASE("A network is one voice of its place, however many report from it") {
  auto learner = learner_of();
  for (std::uint32_t i = 0; i < 100; ++i)
    learner.add({client_at(paris, 1), usual(), begin_ms, i});
  const auto snapshot = learner.publish();
  CHECK(voices_for(snapshot->find(place_cell(paris)), 3).size() == 1);
  CHECK(voices_for(snapshot->find(network_cell(address(1))), 3).size() == voice_limit);
}

TEST_CASE("New reports win against old ones") {
  constexpr std::int64_t later_ms = begin_ms + 4 * 7 * 24 * hour_ms;
  auto learner = learner_of();
  for (std::uint32_t i = 0; i < 16; ++i)
    learner.add({client_at(paris, i), usual(), begin_ms, i});
  // A new route: 60 ms more to Frankfurt.
  auto moved = usual();
  moved[1].milliseconds += 60;
  for (std::uint32_t i = 0; i < 16; ++i)
    learner.add({client_at(paris, 100 + i), moved, later_ms, i});
  CHECK(predictions(*learner.publish(), client_at(paris, 500))[1].milliseconds > 40);
}

TEST_CASE("Only shards that changed are published again") {
  auto learner = learner_of();
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::vector<region_latency> far{{5, 400.0 + i}};
    learner.add({client_at({-40.0 + i % 80, 0.5 * i}, i), far, begin_ms, i});
  }
  const auto first = learner.publish();
  CHECK(learner.publish() == first);
  client_cells client;
  client.network = network_cell(address(7'777));
  learner.add({client, usual(), begin_ms, 1});
  const auto second = learner.publish();
  std::size_t changed = 0;
  for (std::size_t i = 0; i < latency_shard_count; ++i)
    changed += first->shards[i] != second->shards[i] ? 1 : 0;
  CHECK(changed == 1);
  CHECK(first->shards[shard_of(*client.network)] != second->shards[shard_of(*client.network)]);
  CHECK(first->find(client.network).empty());
  CHECK(second->find(client.network).size() == usual().size());
  CHECK(first->field == second->field);
}

TEST_CASE("The number of entries is bounded, and the least recently reported are evicted") {
  learner_settings settings;
  settings.entry_limit = 50'000;
  auto learner = learner_of(settings);
  client_cells client;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    client.network = network_cell(address(i));
    learner.add({client, usual(), begin_ms + i * std::int64_t{60'000}, i});
  }
  CHECK(learner.entries() <= settings.entry_limit);
  CHECK(learner.entries() > settings.entry_limit * 8 / 10);
  CHECK(learner.evicted() > 0);
  CHECK(learner.bytes() <= settings.entry_limit * 64);
  const auto snapshot = learner.publish();
  std::size_t recent = 0;
  std::size_t old = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    recent += snapshot->find(network_cell(address(19'999 - i))).empty() ? 0 : 1;
    old += snapshot->find(network_cell(address(i))).empty() ? 0 : 1;
  }
  CHECK(recent > 490);
  CHECK(old < 10);
}

TEST_CASE("Regions are bounded, and the numbers of those that are gone are used again") {
  auto learner = learner_of();
  learner.add({client_at(paris, 1), usual(), begin_ms, 1});
  CHECK(learner.set_regions(regions()) == 0);
  auto changed = regions();
  changed[3].where = {53.4, -2.2};
  CHECK(learner.set_regions(changed) == 0);
  const auto snapshot = learner.publish();
  CHECK(snapshot->field->number_of(changed[3]) == 3);
  CHECK_FALSE(learner.number_of(regions()[3]));
  CHECK(voices_for(snapshot->find(place_cell(paris)), 3).empty());
  CHECK(voices_for(snapshot->find(place_cell(paris)), 2).size() == 1);
  std::vector<latency_region> many;
  for (std::size_t i = 0; i < 300; ++i)
    many.push_back({"r" + std::to_string(i), {0, 0}});
  CHECK(learner.set_regions(many) == 300 - latency_region_limit);
  for (int round = 0; round < 10; ++round) {
    for (auto& each : changed)
      each.where.latitude += 0.1;
    CHECK(learner.set_regions(changed) == 0);
  }
}

TEST_CASE("The same reports make the same predictions") {
  REQUIRE(rc::check("any reports", [] {
    const auto count = *rc::gen::inRange<std::uint32_t>(1, 200);
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    auto a = learner_of();
    auto b = learner_of();
    std::uniform_real_distribution<double> ms{0, 500};
    std::int64_t now = begin_ms;
    for (std::uint32_t i = 0; i < count; ++i) {
      const coordinates where{std::fmod(ms(random), 160) - 80, std::fmod(ms(random), 360) - 180};
      const std::vector<region_latency> latencies{
          {0, ms(random)}, {3, ms(random)}, {5, ms(random)}};
      now += static_cast<std::int64_t>(ms(random) * 1e5);
      for (auto* each : {&a, &b})
        each->add({client_at(where, i), latencies, now, i});
      if (i % 50 == 49) a.refit(), b.refit();
    }
    const auto one = predictions(*a.publish(), client_at(paris, 1));
    const auto other = predictions(*b.publish(), client_at(paris, 1));
    for (std::size_t i = 0; i < one.size(); ++i) {
      RC_ASSERT(one[i].milliseconds == other[i].milliseconds);
      RC_ASSERT(std::isfinite(one[i].milliseconds));
      RC_ASSERT(one[i].confidence >= 0 && one[i].confidence <= 1);
    }
  }));
}

constexpr std::int64_t minute_ms = 60'000;

/// The address of a player in a network.
ip_address player_address(std::uint8_t network, std::uint8_t player = 1) {
  return ip_address::from_v4(std::array<std::uint8_t, 4>{192, 0, network, player});
}

client_cells client_in(std::uint8_t network, const coordinates& where = paris) {
  return {network_cell(player_address(network)), where};
}

/// A learner whose entries wait to be kept elsewhere, too.
latency_learner keeping_learner() {
  return learner_of(small(10'000));
}

std::vector<latency_prediction> predictions(latency_learner& by, const client_cells& client) {
  by.refit();
  return predictions(*by.publish(), client, *client.where);
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

TEST_CASE("What a learner hands over to be kept, it hands over once, by names of regions") {
  auto learner = keeping_learner();
  CHECK(learner.take_unkept().empty());
  learner.add({client_in(1), usual(), begin_ms, 1});
  const auto taken = learner.take_unkept();
  REQUIRE(taken.size() == usual().size()); // of the place; the network has one reporter
  CHECK(learner.unkept() == 0);
  CHECK(learner.take_unkept().empty());
  const auto london = std::ranges::find_if(taken, [](const learned_entry& each) {
    return each.region_id == "lon" && each.cell == place_cell(paris);
  });
  REQUIRE(london != taken.end());
  CHECK(london->region_at == regions()[3].where);
  CHECK(london->minute() == begin_ms / minute_ms);
  REQUIRE(london->voices.size() == 1);
  CHECK(london->voices[0].milliseconds() == 9);
}

TEST_CASE("With a limit of 0, nothing waits to be kept") {
  auto learner = learner_of();
  for (std::uint64_t i = 0; i < 10; ++i)
    learner.add({client_in(1), usual(), begin_ms, i});
  CHECK(learner.unkept() == 0);
  CHECK(learner.take_unkept().empty());
  CHECK(learner.unkept_left_out() == 0);
}

TEST_CASE("A network that fewer than five have reported from is never kept") {
  auto learner = keeping_learner();
  kept store;
  for (std::uint64_t reporter = 0; reporter < 4; ++reporter)
    for (int i = 0; i < 20; ++i)
      learner.add({client_in(1), usual(), begin_ms, reporter});
  store.exchange_with(learner);
  CHECK_FALSE(has_network(store));
  CHECK_FALSE(store.rows().empty());
  learner.add({client_in(1), usual(), begin_ms, 4});
  store.exchange_with(learner);
  CHECK(has_network(store));
  // All that was learned of it, not the last report alone.
  for (const auto& [key, each] : store.rows())
    if (each.cell.kind() == cell_kind::network) CHECK(each.voices.size() == 5);
}

TEST_CASE("What others keep of a network adds to what few have reported here") {
  auto one = keeping_learner();
  auto other = keeping_learner();
  kept store;
  for (std::uint64_t reporter = 0; reporter < 3; ++reporter)
    one.add({client_in(1), usual(), begin_ms, reporter});
  for (std::uint64_t reporter = 3; reporter < 8; ++reporter)
    other.add({client_in(1), usual(), begin_ms, reporter});
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

TEST_CASE("What could not be kept waits again, with what was learned in the meantime") {
  auto learner = keeping_learner();
  learner.add({client_in(1), usual(), begin_ms, 1});
  const auto taken = learner.take_unkept();
  learner.add({client_in(2), usual(), begin_ms, 2});
  learner.give_back(taken);
  for (const auto& each : learner.take_unkept())
    CHECK(each.voices.size() == 2);
}

TEST_CASE("Entries of unknown or moved regions and damaged entries are not taken over") {
  auto learner = keeping_learner();
  const learned_entry entry{place_cell(paris),
                            "lon",
                            regions()[3].where,
                            {{0, voice::steps_of(9), 1, begin_ms / minute_ms}}};
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
  auto latencies = usual();
  for (auto& each : latencies)
    each.milliseconds *= noise(random) * (1 + network * 0.1);
  if (random() % 8 == 0) latencies[random() % 4].milliseconds = 300;
  to[random() % to.size()]->add({client_in(network, where), latencies, time_ms, random() % 12});
}

TEST_CASE("Learners that exchange what they learned end with the same predictions") {
  REQUIRE(rc::check("any reports, exchanges and failures", [] {
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    const auto count = *rc::gen::inRange(1, 300);
    auto a = keeping_learner();
    auto b = keeping_learner();
    std::array<latency_learner*, 2> both{&a, &b};
    kept store;
    std::int64_t now = begin_ms;
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
    auto c = keeping_learner();
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
    auto a = keeping_learner();
    auto b = keeping_learner();
    std::array<latency_learner*, 2> both{&a, &b};
    kept store;
    // Reports of one place, each from a network of its own.
    for (int i = 0; i < count; ++i) {
      both[random() % 2]->add({client_in(static_cast<std::uint8_t>(i)), usual(), begin_ms,
                               static_cast<std::uint64_t>(i)});
      if (random() % 4 == 0) store.exchange_with(*both[random() % 2], random() % 2 == 0);
    }
    for (auto* each : both)
      store.exchange_with(*each);
    const auto& place = store.rows().at({place_cell(paris).key, "lon"});
    RC_ASSERT(place.voices.size() ==
              std::min<std::size_t>(static_cast<std::size_t>(count), voice_limit));
  }));
}

} // namespace
