#include "actors/region_ranking/region_ranking.hpp"
#include "model/latency/learner.hpp"
#include "model/regions/ranking.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/latency_reports.hpp"

#include <rapidcheck.h>

#include <cmath>

namespace matchcloud::actors {
namespace {

using namespace fixtures;
using model::group_player;

group_player at_address(std::uint8_t last_byte) {
  return {.address = address_of(last_byte)};
}

rank_group group_of(std::vector<group_player> players,
                    model::group_strategy strategy = model::group_strategy::worst) {
  return {{1, 1}, {std::move(players), strategy}, {}, {}, {}};
}

/// An answer, taken apart.
struct answer {
  std::vector<std::string> regions;
  /// By region as answered, then by player; -1: null.
  std::vector<std::vector<double>> figures;
  std::vector<double> worst;
  std::vector<double> mean;
  std::vector<int> unknown;
  std::vector<std::string> ids;
};

double number_of(const rapidjson::Value& value) {
  return value.IsNull() ? -1 : value.GetDouble();
}

answer taken_apart(const std::string& json) {
  INFO(json);
  const auto parsed = e2e::parse_json(json);
  REQUIRE(parsed.IsObject());
  answer all;
  for (const auto& region : parsed["regions"].GetArray()) {
    CHECK(e2e::member_names(region) ==
          std::vector<std::string>{"region_id", "region_display_name", "provider_display_name",
                                   "datacenter_coord", "worst_ms", "mean_ms", "players"});
    all.regions.push_back(e2e::text_at(region, "region_id"));
    all.worst.push_back(number_of(region["worst_ms"]));
    all.mean.push_back(number_of(region["mean_ms"]));
    auto& figures = all.figures.emplace_back();
    for (const auto& figure : region["players"].GetArray())
      figures.push_back(number_of(figure));
  }
  for (const auto& player : parsed["unknown_players"].GetArray())
    all.unknown.push_back(player.GetInt());
  for (const auto& id : parsed["player_ids"].GetArray())
    all.ids.emplace_back(id.IsNull() ? "(null)" : id.GetString());
  return all;
}

answer ask(region_ranking_state& state, const rank_group& request) {
  return taken_apart(state.rank(request).value());
}

using texts = std::vector<std::string>;

/// What is predicted by distance alone, as answers have it.
double by_distance(const model::coordinates& from, const model::coordinates& to) {
  const model::region_distance asked{model::region_distance::unnumbered,
                                     static_cast<float>(model::geodesic_distance_m(from, to))};
  model::latency_prediction made;
  model::client_cells client;
  client.where = from;
  model::predict_latencies(model::latency_snapshot{}, client, {&asked, 1}, {&made, 1});
  return std::round(made.milliseconds * 1'000) / 1'000;
}

TEST_CASE("a group of one has the order of its listing") {
  region_ranking_state state{located(), two_regions()};
  for (const auto strategy :
       {model::group_strategy::worst, model::group_strategy::mean, model::group_strategy::fair}) {
    CHECK(ask(state, group_of({at_address(german)}, strategy)).regions == texts{"fra", "nrt"});
    CHECK(ask(state, group_of({at_address(japanese)}, strategy)).regions == texts{"nrt", "fra"});
  }
  const auto made = ask(state, group_of({at_address(german)}));
  CHECK(made.figures[0][0] == by_distance(near_frankfurt, {50, 8}));
  CHECK(made.figures[1][0] == by_distance(near_frankfurt, {35, 139}));
  CHECK(made.worst == std::vector<double>{made.figures[0][0], made.figures[1][0]});
  CHECK(made.mean == made.worst);
  CHECK(made.unknown.empty());
}

TEST_CASE("own latencies count before coordinates, and these before the address's place") {
  region_ranking_state state{located(), two_regions()};
  auto player = at_address(german);
  player.where = near_tokyo;
  CHECK(ask(state, group_of({player})).figures[0][0] == by_distance(near_tokyo, {35, 139}));
  player.latencies = {{"atl", 3}, {"nrt", 301.5}, {"zrh", 2}};
  const auto made = ask(state, group_of({player}));
  CHECK(made.regions == texts{"fra", "nrt"});
  CHECK(made.figures[0][0] == by_distance(near_tokyo, {50, 8}));
  CHECK(made.figures[1][0] == 301.5);
  // What nobody can measure counts as not sent.
  player.latencies = {{"fra", 1.5}, {"nrt", 0}};
  CHECK(ask(state, group_of({player})).regions == texts{"nrt", "fra"});
}

TEST_CASE("unknown players are named and do not count") {
  auto settings = located();
  settings.fallback = near_tokyo; // which counts for listings alone
  region_ranking_state state{settings, two_regions()};
  const auto made = ask(state, group_of({{.id = "anna"},
                                         at_address(german),
                                         {.id = "", .address = address_of(unknown_place)},
                                         {.latencies = {{"atl", 5}}},
                                         {.latencies = {{"fra", 200}}}}));
  CHECK(made.unknown == std::vector<int>{0, 2, 3});
  CHECK(made.ids == texts{"anna", "(null)", "", "(null)", "(null)"});
  // Of Tokyo, a known player has no figure.
  CHECK(made.regions == texts{"fra", "nrt"});
  CHECK(made.figures[0][0] == -1);
  CHECK(made.figures[0][4] == 200);
  CHECK(made.figures[1][4] == -1);
  CHECK(made.worst[1] == made.figures[1][1]);

  settings.geoip = nullptr;
  region_ranking_state blind{settings, two_regions()};
  const auto nobody = ask(blind, group_of({at_address(german)}));
  CHECK(nobody.unknown == std::vector<int>{0});
  CHECK(nobody.regions == texts{"fra", "nrt"});
  CHECK(nobody.worst[0] == -1);
  CHECK(nobody.mean[0] == -1);
}

TEST_CASE("a group's regions are those of the token's or the origin's namespace") {
  region_ranking_state state{located(), two_regions()};
  auto request = group_of({at_address(german)});
  request.origin_host = "tokyo.example";
  CHECK(ask(state, request).regions == texts{"nrt"});
  request.namespace_id = id_of(11);
  CHECK(ask(state, request).regions == texts{"fra", "nrt"});
  auto none = two_regions();
  none->namespaces.push_back(
      {id_of(13), id_of(1), "none", {"none.example"}, std::vector<std::string>{}});
  none->index_domains();
  state.set_catalog(none);
  request.namespace_id = id_of(13);
  const auto made = ask(state, request);
  CHECK(made.regions.empty());
  CHECK(made.unknown == std::vector<int>{0});
}

/// Many places, and regions around the earth in ascending order of id.
constexpr std::uint8_t place_count = 100;
std::shared_ptr<const store::geoip> many_places() {
  std::vector<std::pair<std::uint8_t, model::coordinates>> places;
  for (std::uint8_t i = 0; i < place_count; ++i)
    places.emplace_back(i, model::coordinates{double(i) - 50, double(i) * 3 - 150});
  return std::make_shared<fake_geoip>(places);
}
std::shared_ptr<model::catalog> many_regions(int count) {
  auto made = std::make_shared<model::catalog>();
  for (int i = 0; i < count; ++i)
    made->regions.push_back({"r" + std::to_string(10'000 + i),
                             "Region",
                             "Cloud",
                             {double(i * 7 % 120) - 60, double(i * 31 % 340) - 170}});
  return made;
}

TEST_CASE("a group's answer is the same whether or not distances are kept") {
  ranking_settings settings;
  settings.geoip = many_places();
  settings.cache_limit_bytes = 0;
  region_ranking_state without{settings, many_regions(12)};
  settings.cache_limit_bytes = 20'000; // some of them
  region_ranking_state with{settings, many_regions(12)};
  for (int round = 0; round < 3; ++round)
    for (std::uint8_t first = 0; first < place_count - 20; first += 10) {
      std::vector<group_player> players;
      for (std::uint8_t i = 0; i < 20; ++i)
        players.push_back(at_address(static_cast<std::uint8_t>(first + i)));
      const auto request = group_of(players);
      CHECK(without.rank(request) == with.rank(request));
    }
}

TEST_CASE("a player's figures do not depend on the others") {
  ranking_settings settings;
  settings.geoip = many_places();
  region_ranking_state state{settings, many_regions(20)};
  REQUIRE(rc::check([&] {
    std::vector<group_player> players;
    const auto count = *rc::gen::inRange<std::size_t>(1, model::group_limit + 1);
    for (std::size_t i = 0; i < count; ++i) {
      group_player player;
      if (*rc::gen::inRange(0, 3) > 0) player = at_address(*rc::gen::inRange<std::uint8_t>(0, 120));
      if (*rc::gen::inRange(0, 4) == 0) player.where = model::coordinates{double(i), -double(i)};
      if (*rc::gen::inRange(0, 4) == 0) player.latencies = {{"r10003", double(i)}, {"r10007", 5}};
      players.push_back(player);
    }
    const auto all = ask(state, group_of(players));
    for (std::size_t i = 0; i < count; ++i) {
      const auto alone = ask(state, group_of({players[i]}));
      const bool is_unknown = std::ranges::count(all.unknown, static_cast<int>(i)) > 0;
      RC_ASSERT(is_unknown == !alone.unknown.empty());
      for (std::size_t k = 0; k < all.regions.size(); ++k) {
        const auto same = std::ranges::find(alone.regions, all.regions[k]) - alone.regions.begin();
        RC_ASSERT(all.figures[k][i] == alone.figures[static_cast<std::size_t>(same)][0]);
      }
    }
  }));
}

TEST_CASE("with many regions, every player has a figure for each") {
  ranking_settings settings;
  settings.geoip = many_places();
  const auto catalog = many_regions(300);
  region_ranking_state state{settings, catalog};
  std::vector<group_player> players;
  for (std::uint8_t i = 0; i < model::group_limit; ++i)
    players.push_back(at_address(i));
  const auto made = ask(state, group_of(players));
  REQUIRE(made.regions.size() == 300);
  int exact = 0;
  for (std::size_t k = 0; k < made.regions.size(); ++k)
    for (std::uint8_t i = 0; i < model::group_limit; ++i) {
      const auto right = by_distance(settings.geoip->at(i + 1U),
                                     catalog->find_region(made.regions[k])->datacenter_coord);
      exact += made.figures[k][i] == right ? 1 : 0;
      if (std::abs(made.figures[k][i] - right) > right * 0.006) FAIL(made.figures[k][i]);
    }
  CHECK(exact >= 1'800); // of 6 players
  // What is not exact is not kept: the next group gets it exactly.
  const auto alone = ask(state, group_of({players.back()}));
  CHECK(alone.figures[0][0] ==
        by_distance(settings.geoip->at(model::group_limit),
                    catalog->find_region(alone.regions[0])->datacenter_coord));
}

/// What players of a network near Frankfurt reported, of whom there are `reporters`.
std::shared_ptr<const model::latency_snapshot> learned(std::uint64_t reporters) {
  model::latency_learner learner;
  const std::vector<model::latency_region> regions{{"fra", {50, 8}}, {"nrt", {35, 139}}};
  learner.set_regions(regions);
  model::client_cells client;
  client.network = model::network_cell(address_of(german));
  const std::vector<model::region_latency> measured{{*learner.number_of(regions[0]), 80},
                                                    {*learner.number_of(regions[1]), 350}};
  for (std::uint64_t i = 0; i < reporters; ++i)
    learner.add({client, measured, 1'700'000'000'000, i});
  return learner.publish();
}

TEST_CASE("a network's reports count once it has enough reporters") {
  auto settings = located();
  region_ranking_state state{settings, two_regions()};
  const auto before = ask(state, group_of({at_address(german)}));
  state.set_latencies(learned(model::shown_reporters - 1));
  CHECK(ask(state, group_of({at_address(german)})).figures == before.figures);
  CHECK(ask(state, group_of({at_address(unknown_place)})).unknown == std::vector<int>{0});
  // Reporters are told apart by few bits.
  state.set_latencies(learned(30));
  const auto after = ask(state, group_of({at_address(german), at_address(unknown_place)}));
  CHECK(after.figures[0][0] > before.figures[0][0] + 20);
  // It is the same network, and nothing else is known of the place.
  CHECK(after.unknown.empty());
  CHECK(std::abs(after.figures[0][1] - 80) < 10);
}

TEST_CASE("the actor answers a group") {
  deterministic_system on;
  const auto log = std::make_shared<probe_log>();
  const auto front = on.spawn<probe>(log);
  const auto ranking = on.spawn<region_ranking>(located(), two_regions());
  auto request = group_of({at_address(german), at_address(german), at_address(japanese)},
                          model::group_strategy::mean);
  request.exchange = {5, 2};
  on.send_as(front, ranking, request);
  REQUIRE(log->made.size() == 1);
  CHECK(log->made[0].exchange == exchange_ref{5, 2});
  CHECK(taken_apart(*log->made[0].json).regions == texts{"fra", "nrt"});
}

} // namespace
} // namespace matchcloud::actors
