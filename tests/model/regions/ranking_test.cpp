#include "model/regions/ranking.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/regions.hpp"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <set>
#include <tuple>

namespace {

using namespace matchcloud::model;
using matchcloud::fixtures::render_regions;

constexpr double quarter_meridian_m = 10001965.7293;

rc::Gen<coordinates> any_coordinates() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-90'000, 90'001), rc::gen::inRange(-180'000, 180'001)),
      [](const auto& millidegrees) {
        return coordinates{millidegrees.first / 1e3, millidegrees.second / 1e3};
      });
}

/// Few different locations, so that some are equal, equally far away, or antipodes.
rc::Gen<coordinates> any_corner() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(-2, 3), rc::gen::inRange(-4, 5)),
                      [](const auto& steps) {
                        return coordinates{steps.first * 45.0, steps.second * 45.0};
                      });
}

const std::vector<matchcloud::fixtures::known_distance>& known_distances() {
  static const auto rows = matchcloud::fixtures::read_known_distances(
      matchcloud::fixtures::source_path("tests/model/regions/geodesics.csv"));
  return rows;
}

region region_at(std::string id, double latitude, double longitude) {
  return {id, "Region " + id, "Provider", {latitude, longitude}};
}

catalog three_regions() {
  catalog snapshot;
  snapshot.regions = {region_at("fra", 50.11, 8.68), region_at("lon", 51.5074, -0.1278),
                      region_at("syd", -33.87, 151.21)};
  return snapshot;
}

std::vector<std::string> ids_of(const std::vector<const region*>& regions) {
  std::vector<std::string> ids;
  for (const auto* each : regions)
    ids.push_back(each->region_id);
  return ids;
}

std::vector<std::string> ids_of(const std::vector<ranked_region>& ranked) {
  std::vector<std::string> ids;
  for (const auto& each : ranked)
    ids.push_back(each.where->region_id);
  return ids;
}

TEST_CASE("Distances on WGS-84 are the published ones") {
  CHECK(geodesic_distance_m({90, 0}, {0, 0}) == Approx(quarter_meridian_m).margin(1e-3));
  CHECK(geodesic_distance_m({90, 0}, {-90, 0}) == Approx(2 * quarter_meridian_m).margin(1e-3));
  // One degree of the equator: pi / 180 of the equatorial radius of 6378137 m.
  CHECK(geodesic_distance_m({0, 0}, {0, 1}) == Approx(111319.4908).margin(1e-3));
  // JFK to LHR, from the documentation of GeographicLib.
  CHECK(geodesic_distance_m({40.6, -73.8}, {51.6, -0.5}) == Approx(5551759.400).margin(1e-2));
  // Karney (2013), "Algorithms for geodesics", table 5: nearly antipodal.
  CHECK(geodesic_distance_m({-30, 0}, {29.9, 179.8}) == Approx(19989832.82761).margin(1e-4));
}

TEST_CASE("Distances are those that were computed to more digits, by another method") {
  // The largest observed error is 5.6 nanometres; GeographicLib promises 15.
  constexpr long double tolerance_m = 15e-9L;
  REQUIRE(known_distances().size() == 100);
  for (const auto& known : known_distances()) {
    INFO(to_string(known.client_address) << " is " << known.metres << " m away");
    const auto exact = std::strtold(known.metres.c_str(), nullptr);
    CHECK(std::abs(geodesic_distance_m(known.client, known.region) - exact) < tolerance_m);
    CHECK(std::abs(geodesic_distance_m(known.region, known.client) - exact) < tolerance_m);
  }
}

TEST_CASE("A listing has the exact distances, rounded to 3 decimals in both units") {
  for (const auto& known : known_distances()) {
    INFO(to_string(known.client_address) << " is " << known.metres << " m away");
    const auto there = region_at("there", known.region.latitude, known.region.longitude);
    const auto text =
        render_regions(rank_regions(std::vector<const region*>{&there}, known.client));
    const auto expected =
        R"({"kilometers":)" + known.kilometers() + R"(,"miles":)" + known.miles() + "}";
    CHECK(text.find(R"("datacenter_distance_from_client":)" + expected) != std::string::npos);
  }
}

TEST_CASE("The date line and the poles are no edges") {
  CHECK(geodesic_distance_m({10, 180}, {10, -180}) == 0);
  CHECK(geodesic_distance_m({0, 179.5}, {0, -179.5}) == Approx(111319.4908).margin(1e-3));
  CHECK(geodesic_distance_m({90, 17}, {90, -120}) == Approx(0).margin(1e-6));
  CHECK(geodesic_distance_m({51.5, -0.12}, {51.5, -0.12}) == 0);
}

TEST_CASE("Distance is a metric") {
  REQUIRE(rc::check("symmetric, bounded, triangle", [] {
    const auto a = *any_coordinates();
    const auto b = *any_coordinates();
    const auto c = *any_coordinates();
    const double ab = geodesic_distance_m(a, b);
    RC_ASSERT(std::abs(ab - geodesic_distance_m(b, a)) < 1e-6);
    RC_ASSERT(ab >= 0 && ab <= 2 * quarter_meridian_m + 1e-3);
    RC_ASSERT(ab <= geodesic_distance_m(a, c) + geodesic_distance_m(c, b) + 1e-6);
    RC_ASSERT(geodesic_distance_m(a, a) == 0);
  }));
}

TEST_CASE("Regions at the same distance are ranked by id") {
  const auto b = region_at("b", 1, 1);
  const auto a = region_at("a", 1, 1);
  CHECK(ids_of(rank_regions(std::vector<const region*>{&b, &a}, coordinates{})) ==
        std::vector<std::string>{"a", "b"});
}

TEST_CASE("Without a client's location all distances are 0 and ids decide") {
  const auto snapshot = three_regions();
  auto regions = regions_of(snapshot, nullptr);
  std::reverse(regions.begin(), regions.end());
  const auto ranked = rank_regions(regions, std::nullopt);
  CHECK(ids_of(ranked) == std::vector<std::string>{"fra", "lon", "syd"});
  for (const auto& each : ranked)
    CHECK(each.distance_m == 0);
}

/// Regions `r0`, `r1`, .. at corners, and a namespace that names some of them, some of them
/// repeatedly, and some that do not exist.
catalog any_catalog(game_namespace& where) {
  catalog snapshot;
  const auto places = *rc::gen::container<std::vector<coordinates>>(any_corner());
  for (const auto& at : places)
    snapshot.regions.push_back({"r" + std::to_string(snapshot.regions.size()), "", "", at});
  std::sort(snapshot.regions.begin(), snapshot.regions.end(),
            [](const region& a, const region& b) { return a.region_id < b.region_id; });
  const auto id = rc::gen::map(rc::gen::inRange(0, 20),
                               [](int number) { return "r" + std::to_string(number); });
  if (*rc::gen::arbitrary<bool>())
    where.regions = *rc::gen::container<std::vector<std::string>>(id);
  return snapshot;
}

TEST_CASE("A ranking is the namespace's regions, each once, by distance and then by id") {
  REQUIRE(rc::check("ordered permutation", [] {
    game_namespace where;
    const auto snapshot = any_catalog(where);
    const auto client = *any_corner();
    std::set<std::string> expected;
    for (const auto& each : snapshot.regions)
      if (!where.regions ||
          std::count(where.regions->begin(), where.regions->end(), each.region_id) > 0)
        expected.insert(each.region_id);

    const auto ranked = rank_regions(regions_of(snapshot, &where), client);
    const auto ids = ids_of(ranked);
    RC_ASSERT(ids.size() == expected.size());
    RC_ASSERT((std::set<std::string>{ids.begin(), ids.end()} == expected));
    for (const auto& each : ranked)
      RC_ASSERT(each.distance_m == geodesic_distance_m(client, each.where->datacenter_coord));
    RC_ASSERT(std::is_sorted(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      return std::tie(a.distance_m, a.where->region_id) <
             std::tie(b.distance_m, b.where->region_id);
    }));
  }));
}

TEST_CASE("A namespace sees its own known regions, in order of id, or all") {
  const auto snapshot = three_regions();
  const std::vector<std::string> all{"fra", "lon", "syd"};
  game_namespace where;
  CHECK(ids_of(regions_of(snapshot, nullptr)) == all);
  CHECK(ids_of(regions_of(snapshot, &where)) == all);
  where.regions = {"syd", "gone", "fra", "syd"};
  CHECK(ids_of(regions_of(snapshot, &where)) == std::vector<std::string>{"fra", "syd"});
  where.regions.emplace();
  CHECK(regions_of(snapshot, &where).empty());
}

TEST_CASE("A listing has the shape of the specification") {
  const region london{"lon", "London \"City\"", "Prov\\ider", {51.5074, -0.1278}};
  const region null_island{"nul", "Null", "P", {0, -0.0}};
  const std::vector<ranked_region> ranked{{&london, 1609344}, {&null_island, 0}};
  CHECK(render_regions(ranked) ==
        R"({"regions":[{"region_id":"lon","region_display_name":"London \"City\"",)"
        R"("provider_display_name":"Prov\\ider","datacenter_coord":{"latitude":51.5074,)"
        R"("longitude":-0.1278},"datacenter_distance_from_client":{"kilometers":1609.344,)"
        R"("miles":1000}},{"region_id":"nul","region_display_name":"Null",)"
        R"("provider_display_name":"P","datacenter_coord":{"latitude":0,"longitude":0},)"
        R"("datacenter_distance_from_client":{"kilometers":0,"miles":0}}]})");
  CHECK(render_regions({}) == R"({"regions":[]})");
}

TEST_CASE("Any listing is JSON that tells the coordinates exactly") {
  REQUIRE(rc::check("parses", [] {
    const region where{"r", "name", "provider", *any_coordinates()};
    const auto text =
        render_regions(rank_regions(std::vector<const region*>{&where}, *any_coordinates()));
    rapidjson::Document parsed;
    RC_ASSERT(!matchcloud::fixtures::parse_exactly(parsed, text).IsError());
    const auto& at = parsed["regions"][0]["datacenter_coord"];
    RC_ASSERT(at["latitude"].GetDouble() == where.datacenter_coord.latitude);
    RC_ASSERT(at["longitude"].GetDouble() == where.datacenter_coord.longitude);
  }));
}

} // namespace
