#include "actors/region_ranking.hpp"

#include "tests/actors/fixture.hpp"
#include "tests/catch.hpp"

#include <rapidjson/document.h>

namespace matchcloud::actors {
namespace {

using namespace fixtures;

constexpr model::coordinates near_frankfurt{50.5, 8.5};
constexpr model::coordinates near_tokyo{35.5, 139.5};
constexpr std::uint8_t german = 1;
constexpr std::uint8_t german_too = 2;
constexpr std::uint8_t japanese = 3;
constexpr std::uint8_t unknown = 9;

ranking_settings located() {
  ranking_settings settings;
  settings.geoip =
      std::make_shared<fake_geoip>(std::vector<std::pair<std::uint8_t, model::coordinates>>{
          {german, near_frankfurt}, {german_too, near_frankfurt}, {japanese, near_tokyo}});
  return settings;
}

struct entry {
  std::string region_id;
  double kilometers;
};

std::vector<entry> entries(const std::string& json) {
  rapidjson::Document parsed;
  parsed.Parse(json.c_str());
  REQUIRE(parsed.IsObject());
  std::vector<entry> all;
  for (const auto& region : parsed["regions"].GetArray())
    all.push_back({region["region_id"].GetString(),
                   region["datacenter_distance_from_client"]["kilometers"].GetDouble()});
  return all;
}

std::string ids(const std::string& json) {
  std::string all;
  for (const auto& found : entries(json))
    all += (all.empty() ? "" : " ") + found.region_id;
  return all;
}

TEST_CASE("the nearest region comes first") {
  region_ranking_state state{located(), two_regions()};
  CHECK(ids(*state.rank(address_of(german), "")) == "fra nrt");
  CHECK(ids(*state.rank(address_of(japanese), "")) == "nrt fra");
}

TEST_CASE("those of one location share one reply until the catalog changes") {
  region_ranking_state state{located(), two_regions()};
  const auto first = state.rank(address_of(german), "");
  CHECK(state.rank(address_of(german_too), "") == first);
  CHECK(state.rank(address_of(japanese), "") != first);
  CHECK(state.cached_replies() == 2);

  auto changed = two_regions();
  changed->regions.push_back({"syd", "Sydney", "Cloud", {-33, 151}});
  state.take(changed);
  CHECK(state.cached_replies() == 0);
  CHECK(ids(*state.rank(address_of(german), "")) == "fra nrt syd");
  CHECK(ids(*first) == "fra nrt");
}

TEST_CASE("an origin's namespace decides which regions there are") {
  region_ranking_state state{located(), two_regions()};
  CHECK(ids(*state.rank(address_of(german), "tokyo.example")) == "nrt");
  CHECK(ids(*state.rank(address_of(german), "game.example")) == "fra nrt");
  CHECK(ids(*state.rank(address_of(german), "stranger.example")) == "fra nrt");
}

TEST_CASE("the default namespace decides where the origin says nothing") {
  auto settings = located();
  settings.default_namespace = id_of(12);
  region_ranking_state state{settings, two_regions()};
  CHECK(ids(*state.rank(address_of(german), "")) == "nrt");
  CHECK(ids(*state.rank(address_of(german), "stranger.example")) == "nrt");
  CHECK(ids(*state.rank(address_of(german), "game.example")) == "fra nrt");
}

TEST_CASE("a default namespace may come with a later catalog, and go") {
  auto settings = located();
  settings.default_namespace = id_of(13);
  region_ranking_state state{settings, two_regions()};
  CHECK(ids(*state.rank(address_of(german), "")) == "fra nrt");
  auto with = two_regions();
  with->namespaces.push_back(
      {id_of(13), id_of(1), "late", {}, std::vector<std::string>{"fra", "gone"}});
  state.take(with);
  CHECK(ids(*state.rank(address_of(german), "")) == "fra");
  state.take(two_regions());
  CHECK(ids(*state.rank(address_of(german), "")) == "fra nrt");
}

TEST_CASE("a client of unknown location is taken to be at the fallback") {
  auto settings = located();
  region_ranking_state without{settings, two_regions()};
  for (const auto& found : entries(*without.rank(address_of(unknown), "")))
    CHECK(found.kilometers == 0);
  CHECK(ids(*without.rank(address_of(unknown), "")) == "fra nrt");

  settings.fallback = near_tokyo;
  region_ranking_state with{settings, two_regions()};
  CHECK(ids(*with.rank(address_of(unknown), "")) == "nrt fra");
  CHECK(entries(*with.rank(address_of(unknown), ""))[0].kilometers > 1);

  settings.geoip = nullptr;
  region_ranking_state blind{settings, two_regions()};
  CHECK(ids(*blind.rank(address_of(german), "")) == "nrt fra");
}

TEST_CASE("a cache without room still answers") {
  auto settings = located();
  settings.cache_limit_bytes = 0;
  region_ranking_state state{settings, two_regions()};
  CHECK(ids(*state.rank(address_of(german), "")) == "fra nrt");
  CHECK(state.cached_replies() == 0);
}

TEST_CASE("the actor answers for the exchange it was asked for, with the newest catalog") {
  deterministic_system on;
  const auto log = std::make_shared<probe_log>();
  const auto front = on.spawn<probe>(log);
  const auto ranking = on.spawn<region_ranking>(located(), two_regions());
  on.send_as(front, ranking, rank_regions{{5, 1}, address_of(german), ""});
  on.send_as(front, ranking, rank_regions{{6, 3}, address_of(german_too), ""});
  REQUIRE(log->ranked.size() == 2);
  CHECK(log->ranked[0].exchange == exchange_ref{5, 1});
  CHECK(log->ranked[1].exchange == exchange_ref{6, 3});
  CHECK(log->ranked[0].json == log->ranked[1].json);

  auto fewer = two_regions();
  fewer->regions.pop_back();
  caf::anon_send(ranking, catalog_changed{fewer});
  on.send_as(front, ranking, rank_regions{{7, 1}, address_of(german), ""});
  REQUIRE(log->ranked.size() == 3);
  CHECK(ids(*log->ranked[2].json) == "fra");
}

} // namespace
} // namespace matchcloud::actors
