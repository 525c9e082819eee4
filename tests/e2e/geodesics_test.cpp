// Compares the distances of a listing with tests/model/regions/geodesics.csv, through the whole
// service: GeoIP, the forwarded address, the catalog, the ranking and its cache.
#include "model/json/json_writer.hpp"
#include "tests/catch.hpp"
#include "tests/fixtures/built_from.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/regions.hpp"
#include "tests/service/server.hpp"

#include <map>
#include <utility>

namespace {

using namespace matchcloud;
using namespace matchcloud::e2e;
using fixtures::known_distance;

const std::vector<known_distance>& known_distances() {
  static const auto rows =
      fixtures::read_known_distances(fixtures::source_path("tests/model/regions/geodesics.csv"));
  return rows;
}

/// A database with the clients' addresses, each in a separate network.
std::string clients_as_mmdb() {
  fixtures::mmdb_builder builder;
  for (const auto& known : known_distances()) {
    const auto record = fixtures::mmdb_nested_record(known.client.latitude, known.client.longitude);
    const auto& bytes = known.client_address.bytes;
    if (known.client_address.is_v4())
      builder.add_v4({bytes[12], bytes[13], bytes[14], bytes[15]}, 32, record);
    else
      builder.add_v6(bytes, 48, record);
  }
  return builder.build();
}

using ids_by_place = std::map<std::pair<double, double>, std::string>;

/// An id for every location of a region.
ids_by_place ids_of_places() {
  ids_by_place ids;
  for (const auto& known : known_distances())
    ids.try_emplace({known.region.latitude, known.region.longitude},
                    "r" + std::to_string(ids.size()));
  return ids;
}

std::string catalog_of(const ids_by_place& ids) {
  std::string text = R"({"regions":[)";
  for (const auto& [at, id] : ids) {
    if (text.back() == '}') text += ',';
    text.append(R"({"region_id":")").append(id);
    text.append(R"(","region_display_name":"R","provider_display_name":"P",)");
    text.append(R"("datacenter_coord":{"latitude":)");
    model::append_shortest(text, at.first);
    text.append(R"(,"longitude":)");
    model::append_shortest(text, at.second);
    text.append("}}");
  }
  return text + "]}";
}

/// The distances of a listing as written, by region. Also checks the order.
std::map<std::string, std::string> distances_of(const answer& listed) {
  REQUIRE(listed.status == 200);
  rapidjson::Document document;
  // Keeps numbers as they are written.
  document.Parse<rapidjson::kParseNumbersAsStringsFlag>(listed.body.data(), listed.body.size());
  REQUIRE_FALSE(document.HasParseError());
  std::map<std::string, std::string> distances;
  double last = 0;
  for (const auto& region : document["regions"].GetArray()) {
    const auto& far = region["datacenter_distance_from_client"];
    const auto kilometers = text_at(far, "kilometers");
    distances[text_at(region, "region_id")] = kilometers + " km, " + text_at(far, "miles") + " mi";
    CHECK(std::stod(kilometers) >= last);
    last = std::stod(kilometers);
  }
  return distances;
}

TEST_CASE("100 clients get the distances that are known of them", "[operations]") {
  const auto ids = ids_of_places();
  const world places;
  places.import(catalog_of(ids));
  const auto geoip = places.directory().file("clients.mmdb", clients_as_mmdb());
  server serving{{"--loops", "2", "--geoip", geoip, "--trusted-proxies", "127.0.0.1"}, places};

  REQUIRE(known_distances().size() == 100);
  raw_connection proxy{serving.data()};
  for (const auto& known : known_distances()) {
    const auto client = to_string(known.client_address);
    INFO(client << " is " << known.metres << " m away");
    const auto listed =
        proxy.ask(request("GET", regions_target, {}, "X-Forwarded-For: " + client + "\r\n"));
    const auto distances = distances_of(listed);
    // The demo's 12 regions are listed as well.
    CHECK(distances.size() == ids.size() + 12);
    const auto& id = ids.at({known.region.latitude, known.region.longitude});
    CHECK(distances.at(id) == known.kilometers() + " km, " + known.miles() + " mi");
  }
}

} // namespace
