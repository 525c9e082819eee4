#include "actors/region_ranking/region_ranking.hpp"

#include "model/regions/ranking.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/actor_fixture.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/latency_reports.hpp"
#include "tests/fixtures/regions.hpp"

#include <rapidcheck.h>
#include <rapidjson/document.h>

namespace matchcloud::actors {
namespace {

using namespace fixtures;

struct entry {
  std::string region_id;
  double kilometers;
};

std::vector<entry> entries(const model::region_listing& listing) {
  std::string json;
  listing.append_json(json);
  rapidjson::Document parsed;
  parsed.Parse(json.c_str());
  REQUIRE(parsed.IsObject());
  std::vector<entry> all;
  for (const auto& region : parsed["regions"].GetArray())
    all.push_back({region["region_id"].GetString(),
                   region["datacenter_distance_from_client"]["kilometers"].GetDouble()});
  return all;
}

std::string ids(const model::region_listing& listing) {
  std::string all;
  for (const auto& found : entries(listing))
    all += (all.empty() ? "" : " ") + found.region_id;
  return all;
}

TEST_CASE("clients of one location share a listing until the catalog changes") {
  region_ranking_state state{located(), two_regions()};
  const auto first = rank(state, address_of(german), "");
  CHECK(rank(state, address_of(german_too), "") == first);
  CHECK(rank(state, address_of(japanese), "") != first);
  CHECK(state.cached_listings() == 2);

  auto changed = two_regions();
  changed->regions.push_back({"syd", "Sydney", "Cloud", {-33, 151}});
  state.set_catalog(changed);
  CHECK(state.cached_listings() == 0);
  CHECK(ids(*rank(state, address_of(german), "")) == "fra nrt syd");
  CHECK(ids(*first) == "fra nrt");
}

TEST_CASE("the default namespace decides where the origin says nothing") {
  auto settings = located();
  settings.default_namespace = id_of(12);
  region_ranking_state state{settings, two_regions()};
  CHECK(ids(*rank(state, address_of(german), "")) == "nrt");
  CHECK(ids(*rank(state, address_of(german), "stranger.example")) == "nrt");
  CHECK(ids(*rank(state, address_of(german), "game.example")) == "fra nrt");
}

TEST_CASE("a default namespace may come with a later catalog, and go") {
  auto settings = located();
  settings.default_namespace = id_of(13);
  region_ranking_state state{settings, two_regions()};
  CHECK(ids(*rank(state, address_of(german), "")) == "fra nrt");
  auto with = two_regions();
  with->namespaces.push_back(
      {id_of(13), id_of(1), "late", {}, std::vector<std::string>{"fra", "gone"}});
  state.set_catalog(with);
  CHECK(ids(*rank(state, address_of(german), "")) == "fra");
  state.set_catalog(two_regions());
  CHECK(ids(*rank(state, address_of(german), "")) == "fra nrt");
}

TEST_CASE("a client of unknown location is taken to be at the fallback") {
  auto settings = located();
  region_ranking_state without{settings, two_regions()};
  for (const auto& found : entries(*rank(without, address_of(unknown_place), "")))
    CHECK(found.kilometers == 0);
  CHECK(ids(*rank(without, address_of(unknown_place), "")) == "fra nrt");

  settings.fallback = near_tokyo;
  region_ranking_state with{settings, two_regions()};
  CHECK(ids(*rank(with, address_of(unknown_place), "")) == "nrt fra");
  CHECK(entries(*rank(with, address_of(unknown_place), ""))[0].kilometers > 1);

  settings.geoip = nullptr;
  region_ranking_state blind{settings, two_regions()};
  CHECK(ids(*rank(blind, address_of(german), "")) == "nrt fra");
}

TEST_CASE("cached listings equal uncached ones") {
  REQUIRE(rc::check("cached equals uncached", [] {
    auto catalog = std::make_shared<model::catalog>();
    const auto count = *rc::gen::inRange(1, 12);
    for (int i = 0; i < count; ++i)
      catalog->regions.push_back(
          {std::string{"abcdefghijkl"}.substr(i, 1),
           "Region",
           "Cloud",
           {double(*rc::gen::inRange(-90, 91)), double(*rc::gen::inRange(-180, 181))}});
    const auto own = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "b", "c", "d", "gone"));
    catalog->namespaces = {{id_of(11), id_of(1), "all", {"all.example"}, std::nullopt},
                           {id_of(12), id_of(1), "own", {"own.example"}, own}};
    catalog->index_domains();
    std::vector<std::pair<std::uint8_t, model::coordinates>> places;
    for (std::uint8_t i = 1; i <= 8; ++i)
      places.emplace_back(i, model::coordinates{double(*rc::gen::inRange(-90, 91)),
                                                double(*rc::gen::inRange(-180, 181))});
    ranking_settings settings;
    settings.geoip = std::make_shared<fake_geoip>(places);
    // Capacity for none, some or all of the listings.
    settings.cache_limit_bytes = *rc::gen::element<std::size_t>(0, 1'500, 1 << 20);
    region_ranking_state state{settings, catalog};
    for (int i = 0; i < 40; ++i) {
      const auto client = *rc::gen::inRange(0, 10);
      const std::string origin = *rc::gen::element("", "all.example", "own.example", "x.example");
      std::optional<model::coordinates> location;
      if (client >= 1 && client <= 8)
        location = places[static_cast<std::size_t>(client) - 1].second;
      const auto* where = origin.empty() ? nullptr : catalog->find_namespace_of_domain(origin);
      const auto expected =
          render_regions(model::rank_regions(model::regions_of(*catalog, where), location));
      std::string json;
      rank(state, address_of(static_cast<std::uint8_t>(client)), origin)->append_json(json);
      RC_ASSERT(json == expected);
    }
  }));
}

TEST_CASE("the cache keeps to its limit and counts its use") {
  ranking_metrics metrics;
  std::vector<std::pair<std::uint8_t, model::coordinates>> places;
  for (std::uint8_t i = 0; i < 100; ++i)
    places.emplace_back(i, model::coordinates{double(i) - 50, double(i)});
  ranking_settings settings;
  settings.geoip = std::make_shared<fake_geoip>(places);
  settings.metrics = &metrics;
  settings.cache_limit_bytes = 20'000;
  region_ranking_state state{settings, two_regions()};
  for (int round = 0; round < 3; ++round)
    for (std::uint8_t i = 0; i < 100; ++i)
      rank(state, address_of(i), "");
  const auto kept = state.cached_listings();
  CHECK(kept > 20);
  CHECK(kept < 80);
  CHECK(metrics.bytes.get() <= 20'000);
  CHECK(metrics.bytes.get() > 15'000);
  // With a cyclic access pattern, an LRU cache never has the requested entry.
  CHECK(metrics.hits.get() == 0);
  CHECK(metrics.misses.get() == 300);
  CHECK(metrics.evictions.get() == 300 - kept);
  rank(state, address_of(99), "");
  CHECK(metrics.hits.get() == 1);
  CHECK(state.set_catalog(two_regions()) != nullptr);
  CHECK(metrics.bytes.get() == 0);
}

TEST_CASE("listings are kept compressed, within their part of the cache") {
  ranking_metrics metrics;
  std::vector<std::pair<std::uint8_t, model::coordinates>> places;
  for (std::uint8_t i = 0; i < 100; ++i)
    places.emplace_back(i, model::coordinates{double(i) - 50, double(i)});
  auto settings = located();
  settings.geoip = std::make_shared<fake_geoip>(places);
  settings.metrics = &metrics;
  settings.cache_limit_bytes = 100'000;
  region_ranking_state state{settings, two_regions()};
  const auto ask = [&](std::uint8_t place, bool gzip,
                       std::vector<model::measured_latency> measured = {}) {
    rank_regions one{{1, 1}, address_of(place), "", std::move(measured)};
    one.gzip = gzip;
    region_ranking_state::ranked answer;
    const auto* const only = &one;
    state.rank({&only, 1}, {&answer, 1});
    return answer;
  };
  const auto plain = ask(1, false);
  CHECK(plain.gzip == nullptr);
  CHECK(state.kept_compressed() == 0);
  // Not before a place asks again.
  CHECK(ask(1, true).gzip == nullptr);
  CHECK(state.kept_compressed() == 0);
  const auto first = ask(1, true);
  REQUIRE(first.gzip != nullptr);
  std::string json;
  plain.listing->append_json(json);
  CHECK(fixtures::inflated(*first.gzip) == json);
  CHECK(metrics.compressed_hits.get() == 0);
  CHECK(ask(1, true).gzip == first.gzip);
  CHECK(metrics.compressed_hits.get() == 1);
  // What is ordered for one client is not kept.
  CHECK(ask(1, true, {{"fra", 1}}).gzip == nullptr);
  CHECK(state.kept_compressed() == 1);
  for (std::uint8_t i = 0; i < 200; ++i)
    ask(i / 2, true);
  const auto part = 100'000 / region_ranking_state::compressed_part;
  CHECK(state.kept_compressed() > 10);
  CHECK(state.kept_compressed() < 50);
  CHECK(metrics.compressed_bytes.get() <= std::int64_t{part});
  CHECK(metrics.compressed_bytes.get() > std::int64_t{part} / 2);
  // Other files have other numbers for places.
  CHECK(state.set_geoip(std::make_shared<fake_geoip>(places)) != nullptr);
  CHECK(state.kept_compressed() == 0);
  CHECK(ask(1, true).gzip == nullptr);
  CHECK(ask(1, true).gzip != nullptr);
  CHECK(state.kept_compressed() == 1);
  // Another catalog has other listings.
  CHECK(state.set_catalog(two_regions()) != nullptr);
  CHECK(state.kept_compressed() == 0);
  CHECK(metrics.compressed_bytes.get() == 0);
}

TEST_CASE("no listing is kept compressed where none fits") {
  auto settings = located();
  settings.cache_limit_bytes = 1'000;
  region_ranking_state state{settings, two_regions()};
  rank_regions one{{1, 1}, address_of(german), ""};
  one.gzip = true;
  for (int i = 0; i < 3; ++i) {
    region_ranking_state::ranked answer;
    const auto* const only = &one;
    state.rank({&only, 1}, {&answer, 1});
    CHECK(answer.listing != nullptr);
    CHECK(answer.gzip == nullptr);
  }
}

TEST_CASE("namespaces without regions of their own share what is cached") {
  region_ranking_state state{located(), two_regions()};
  const auto all = rank(state, address_of(german), "");
  CHECK(rank(state, address_of(german), "game.example") == all);
  CHECK(rank(state, address_of(german), "tokyo.example") != all);
}

TEST_CASE("listings of an old catalog are freed by the sender of the new one") {
  deterministic_system on;
  const auto log = std::make_shared<probe_log>();
  const auto catalog = on.spawn<probe>(log);
  const auto first = two_regions();
  const auto ranking = on.spawn<region_ranking>(located(), first);
  on.send_as(catalog, ranking, rank_regions{{1, 1}, address_of(german), ""});
  REQUIRE(log->ranked.size() == 1);
  on.send_as(catalog, ranking, catalog_changed{first}); // the same snapshot again clears nothing
  CHECK(log->discarded.empty());
  on.send_as(catalog, ranking, rank_regions{{2, 1}, address_of(german), ""});
  CHECK(log->ranked.back().listing == log->ranked.front().listing);
  const std::weak_ptr<const model::region_listing> listing = log->ranked.front().listing;
  log->ranked.clear();
  on.send_as(catalog, ranking, catalog_changed{two_regions()});
  REQUIRE(log->discarded.size() == 1);
  CHECK_FALSE(listing.expired());
  log->discarded.clear();
  CHECK(listing.expired());
}

TEST_CASE("other GeoIP files change where clients are") {
  region_ranking_state state{located(), two_regions()};
  CHECK(ids(*rank(state, address_of(german), "")) == "fra nrt");
  const std::weak_ptr<const model::region_listing> cached = rank(state, address_of(german), "");
  const auto other =
      std::make_shared<fake_geoip>(std::vector<std::pair<std::uint8_t, model::coordinates>>{
          {german, near_tokyo}, {japanese, near_frankfurt}});
  auto old = state.set_geoip(other);
  CHECK(state.cached_listings() == 0);
  CHECK_FALSE(cached.expired());
  old.reset();
  CHECK(cached.expired());
  CHECK(ids(*rank(state, address_of(german), "")) == "nrt fra");
  CHECK(ids(*rank(state, address_of(japanese), "")) == "fra nrt");
  CHECK(state.set_geoip(other) == nullptr); // announced again
  CHECK(state.cached_listings() == 2);
  old = state.set_geoip(nullptr);
  CHECK(entries(*rank(state, address_of(german), ""))[0].kilometers == 0);
}

TEST_CASE("regions that the client measured come first, by latency") {
  auto catalog = two_regions();
  catalog->regions.push_back({"syd", "Sydney", "Cloud", {-33, 151}});
  region_ranking_state state{located(), catalog};
  const auto by = [&](const std::string& rtt) {
    return ids(*rank(state, address_of(german), "", model::read_measured_latencies(rtt).value()));
  };
  CHECK(by("") == "fra nrt syd");
  CHECK(by("syd:301") == "syd fra nrt");
  CHECK(by("syd:320,fra:330,nrt:325") == "syd nrt fra");
  CHECK(by("syd:320,fra:320") == "fra syd nrt");
  CHECK(by("unknown:3") == "fra nrt syd");
  const auto distances = entries(
      *rank(state, address_of(german), "", model::read_measured_latencies("syd:301").value()));
  CHECK(distances[0].kilometers > 10'000);
  CHECK(distances[1].kilometers < 100);
  // A listing with measured latencies is not cached.
  CHECK(state.cached_listings() == 1);
  CHECK(ids(*rank(state, address_of(german), "tokyo.example",
                  model::read_measured_latencies("fra:1,nrt:5").value())) == "nrt");
}

TEST_CASE("round trips of 0 or faster than light are ignored") {
  auto catalog = two_regions();
  catalog->regions.push_back({"syd", "Sydney", "Cloud", {-33, 151}});
  region_ranking_state state{located(), catalog};
  const auto by = [&](std::uint8_t place, const std::string& rtt) {
    return ids(*rank(state, address_of(place), "", model::read_measured_latencies(rtt).value()));
  };
  CHECK(by(german, "syd:0") == "fra nrt syd");
  CHECK(by(german, "syd:150") == "fra nrt syd"); // 16,500 km take light 161 ms
  CHECK(by(german, "syd:170") == "syd fra nrt");
  CHECK(by(german, "syd:0,nrt:230") == "nrt fra syd");
  CHECK(by(german, "fra:0.2") == "fra nrt syd");
  // Where a client is unknown, so is what light can do.
  CHECK(by(unknown_place, "syd:1").starts_with("syd "));
  CHECK_FALSE(by(unknown_place, "syd:0").starts_with("syd "));
}

TEST_CASE("the actor answers each exchange by the newest catalog") {
  deterministic_system on;
  const auto log = std::make_shared<probe_log>();
  const auto front = on.spawn<probe>(log);
  const auto ranking = on.spawn<region_ranking>(located(), two_regions());
  on.send_as(front, ranking, rank_regions{{5, 1}, address_of(german), ""});
  on.send_as(front, ranking, rank_regions{{6, 3}, address_of(german_too), ""});
  REQUIRE(log->ranked.size() == 2);
  CHECK(log->ranked[0].exchange == exchange_ref{5, 1});
  CHECK(log->ranked[1].exchange == exchange_ref{6, 3});
  CHECK(log->ranked[0].listing == log->ranked[1].listing);

  auto fewer = two_regions();
  fewer->regions.pop_back();
  caf::anon_send(ranking, catalog_changed{fewer});
  on.send_as(front, ranking, rank_regions{{7, 1}, address_of(german), ""});
  REQUIRE(log->ranked.size() == 3);
  CHECK(ids(*log->ranked[2].listing) == "fra");
}

TEST_CASE("requests of one batch are each answered") {
  deterministic_system on;
  const auto log = std::make_shared<probe_log>();
  const auto front = on.spawn<probe>(log);
  const auto ranking = on.spawn<region_ranking>(located(), two_regions());
  rank_many together;
  constexpr std::uint64_t count = region_ranking_state::at_once + 3;
  for (std::uint64_t i = 1; i <= count; ++i) {
    rank_regions one{{i, 1}, address_of(i % 2 == 0 ? german : japanese), ""};
    one.ticket = std::make_shared<ticket>();
    together.all.push_back(std::move(one));
  }
  on.send_as(front, ranking, together);
  REQUIRE(log->ranked.size() == count);
  for (std::uint64_t i = 1; i <= count; ++i) {
    CHECK(log->ranked[i - 1].exchange == exchange_ref{i, 1});
    CHECK(ids(*log->ranked[i - 1].listing) == (i % 2 == 0 ? "fra nrt" : "nrt fra"));
  }
  on.send_as(front, ranking, rank_many{});
  CHECK(log->ranked.size() == count);
}

} // namespace
} // namespace matchcloud::actors
