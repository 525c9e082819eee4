#include "app/reports/geoip_report.hpp"

#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

namespace matchcloud::app {
namespace {

using namespace fixtures;

const temporary_directory& folder() {
  static const temporary_directory only;
  return only;
}

/// The regions London and Paris, and a GeoIP file with 192.0.2.0/24 in London and 198.51.100.0/24
/// in Japan.
geoip_inputs surroundings() {
  mmdb_builder builder;
  builder.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(51.5, -0.125));
  builder.add_v4({198, 51, 100, 0}, 24, mmdb_map({{"country_code", mmdb_string("JP")}}));
  model::catalog catalog;
  catalog.regions = {{"lon", "London", "Cloud", {51.5, -0.125}},
                     {"par", "Paris", "Cloud", {48.85, 2.35}}};
  const auto path = folder().file("places.mmdb", builder.build());
  return {{store::mmdb_file::open(path).value()}, {}, {}, std::move(catalog), {}};
}

std::string text_of(const geoip_inputs& in, std::string_view address) {
  const std::vector clients{locate_client(in, *model::parse_ip_address(address))};
  return geoip_text(in, clients, 0);
}

TEST_CASE("a located address is shown with its file and its ranking") {
  const auto in = surroundings();
  const auto& path = in.files[0]->path();
  CHECK(text_of(in, "192.0.2.1") == "FILE" + std::string(path.size() - 2, ' ') +
                                        "DATABASE TYPE    BUILT       IP VERSION  NODES\n" + path +
                                        "  matchcloud-test  2023-11-14  6           138\n\n"
                                        "192.0.2.1: 51.5000, -0.1250, exact, from " +
                                        path +
                                        "\n"
                                        "REGION ID  NAME    KM       MILES\n"
                                        "lon        London  0        0\n"
                                        "par        Paris   343.676  213.551\n");
}

TEST_CASE("what an address was taken as and how exact it is are told") {
  auto in = surroundings();
  CHECK(contains(text_of(in, "2002:c633:6401::1"),
                 "2002:c633:6401::1 (6to4 of 198.51.100.1): 35.6544, 139.7447, of the country JP, "
                 "from "));
  CHECK(contains(text_of(in, "203.0.113.1"),
                 "203.0.113.1: unknown, and there is no fallback location: all distances are 0\n"));
  in.fallback = model::coordinates{48.85, 2.35};
  const auto text = text_of(in, "203.0.113.1");
  CHECK(contains(text, "203.0.113.1: unknown; the fallback location is 48.8500, 2.3500\n"));
  CHECK(contains(text, "par        Paris   0        0\nlon"));
}

TEST_CASE("a namespace's own regions are ranked") {
  auto in = surroundings();
  model::game_namespace of;
  of.namespace_id = *model::parse_uuid("00000000-0000-4000-8000-000000000021");
  of.regions = std::vector<std::string>{"par"};
  in.catalog->namespaces.push_back(of);
  in.namespace_id = of.namespace_id;
  const auto client = locate_client(in, *model::parse_ip_address("192.0.2.1"));
  REQUIRE(client.regions.size() == 1);
  CHECK(client.regions.front().where->region_id == "par");
}

TEST_CASE("without a store the locations are shown, without files the reason") {
  auto in = surroundings();
  in.catalog = base::fail(base::errc::store_failed, "var: there is no store");
  const auto text = text_of(in, "192.0.2.1");
  CHECK(contains(text, "nothing is ranked: var: there is no store\n"));
  CHECK(contains(text, "192.0.2.1: 51.5000"));
  CHECK_FALSE(contains(text, "REGION ID"));
  in.files.clear();
  CHECK(contains(text_of(in, "192.0.2.1"), "no GeoIP file (--geoip FILE)"));
}

TEST_CASE("the country of an exact place and the autonomous system are told with their files") {
  auto in = surroundings();
  mmdb_builder builder;
  builder.add_v4({192, 0, 2, 0}, 24,
                 mmdb_map({{"country_code", mmdb_string("gb")},
                           {"latitude", mmdb_double(51.5)},
                           {"longitude", mmdb_double(-0.125)}}));
  const auto places = folder().file("british.mmdb", builder.build());
  in.files = {store::mmdb_file::open(places).value()};
  const auto csv = folder().file("asn.csv", "192.0.2.0,192.0.2.255,64496,Example\n");
  in.asns = store::asn_file::open(csv).value();
  const auto text = text_of(in, "192.0.2.1");
  CHECK(contains(text, "192.0.2.1: 51.5000, -0.1250, exact, in GB, from " + places +
                           "; AS64496, from " + csv + "\n"));
  CHECK(contains(text, csv + std::string(places.size() - csv.size(), ' ') +
                           "  CSV              -           -           -\n"));
  CHECK(
      contains(text_of(in, "203.0.113.1"), "all distances are 0; of no known autonomous system\n"));

  const std::vector clients{locate_client(in, *model::parse_ip_address("192.0.2.1"))};
  const auto document = e2e::parse_json(geoip_json(in, clients));
  REQUIRE(document.IsObject());
  CHECK(e2e::text_at(document["files"][1], "database_type") == "CSV");
  CHECK(document["files"][1]["built"].IsNull());
  const auto& found = document["addresses"][0];
  CHECK(e2e::text_at(found, "country") == "GB");
  CHECK(e2e::text_at(found, "file") == places);
  CHECK(found["asn"].GetUint() == 64'496);
  CHECK(e2e::text_at(found, "asn_file") == csv);

  in.files.clear();
  CHECK(text_of(in, "192.0.2.1")
            .starts_with("no GeoIP file (--geoip FILE): every location is unknown\n"
                         "FILE"));
}

TEST_CASE("the members of the JSON are stable") {
  using e2e::member_names;
  using names = std::vector<std::string>;
  auto in = surroundings();
  const std::vector clients{locate_client(in, *model::parse_ip_address("2002:c633:6401::1")),
                            locate_client(in, *model::parse_ip_address("203.0.113.1"))};
  const auto json = geoip_json(in, clients);
  CHECK(json.ends_with("}\n"));
  const auto document = e2e::parse_json(json);
  REQUIRE(document.IsObject());
  CHECK(member_names(document) == names{"files", "namespace_id", "addresses"});
  CHECK(member_names(document["files"][0]) ==
        names{"file", "database_type", "built", "ip_version", "node_count"});
  const auto& found = document["addresses"][0];
  CHECK(member_names(found) == names{"address", "looked_up", "embedding", "location", "precision",
                                     "country", "file", "asn", "asn_file", "regions"});
  CHECK(e2e::text_at(found, "looked_up") == "198.51.100.1");
  CHECK(e2e::text_at(found, "embedding") == "6to4");
  CHECK(e2e::text_at(found, "precision") == "country");
  CHECK(e2e::text_at(found, "country") == "JP");
  CHECK(found["location"]["latitude"].GetDouble() == Approx(35.6544));
  CHECK(member_names(found["regions"][0]) ==
        names{"region_id", "region_display_name", "kilometers", "miles"});
  const auto& unknown = document["addresses"][1];
  CHECK(e2e::text_at(unknown, "precision") == "unknown");
  for (const auto* member : {"embedding", "location", "country", "file", "asn", "asn_file"})
    CHECK(unknown[member].IsNull());
  CHECK(unknown["regions"].Size() == 2);
  in.catalog = base::fail(base::errc::store_failed, "none");
  CHECK(e2e::parse_json(geoip_json(in, clients))["addresses"][0]["regions"].IsNull());
}

} // namespace
} // namespace matchcloud::app
