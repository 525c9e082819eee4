#include "app/latency/explain_report.hpp"

#include "actors/region_ranking/region_ranking.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/latency_csv.hpp"
#include "model/latency/learner.hpp"
#include "store/geoip/source_files.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {
namespace {

using namespace fixtures;

/// The regions London and Paris. 192.0.2.0/24 is in London in Great Britain and of AS64496,
/// 198.51.100.0/24 is in Japan.
class explained_service {
public:
  explained_service() {
    mmdb_builder builder;
    builder.add_v4({192, 0, 2, 0}, 24,
                   mmdb_map({{"country_code", mmdb_string("gb")},
                             {"latitude", mmdb_double(51.5)},
                             {"longitude", mmdb_double(-0.125)}}));
    builder.add_v4({198, 51, 100, 0}, 24, mmdb_map({{"country_code", mmdb_string("JP")}}));
    places = folder_.file("places.mmdb", builder.build());
    asns = folder_.file("asn.csv", "192.0.2.0,192.0.2.255,64496,Example\n");
  }

  explained_addresses explained(std::string_view text) const {
    const auto address = *model::parse_ip_address(text);
    const auto file = store::mmdb_file::open(places).value();
    auto catalog = std::make_shared<model::catalog>();
    catalog->regions = {{"lon", "London", "Cloud", {51.5, -0.125}},
                        {"par", "Paris", "Cloud", {48.85, 2.35}}};
    if (has_no_regions) catalog->regions.clear();
    actors::ranking_settings settings;
    settings.fallback = fallback;
    settings.latencies = latencies;
    settings.geoip = store::geoip::of({file}, store::asn_file::open(asns).value());
    const auto found = settings.geoip->describe(address);
    const actors::region_ranking_state ranking{settings, catalog};
    return {{{places, file->describe()}, {asns, {}}},
            {{address, found, ranking.explain({{}, address, {}, {}})}}};
  }
  std::string text_for(std::string_view address) const {
    return explain_text(explained(address), 0);
  }

  std::string places;
  std::string asns;
  std::optional<model::coordinates> fallback;
  std::shared_ptr<const model::latency_snapshot> latencies;
  bool has_no_regions = false;

private:
  temporary_directory folder_;
};

TEST_CASE("an explained address is shown with the files, its place and its regions") {
  const explained_service of;
  const auto text = of.text_for("192.0.2.1");
  CHECK(text.starts_with(
      "FILE" + std::string(of.places.size() - 2, ' ') + "DATABASE TYPE    BUILT\n" + of.places +
      "  matchcloud-test  2023-11-14\n" + of.asns +
      std::string(of.places.size() - of.asns.size(), ' ') + "  CSV              -\n\n" +
      "192.0.2.1: 51.5000, -0.1250, exact, in GB, from " + of.places + "; AS64496, from " +
      of.asns + "\nREGION ID  NAME    KM       MS "));
  CHECK(contains(text, "\nlon        London  0  "));
  CHECK(contains(text, "\npar        Paris   343.676  "));
  CHECK(contains(text, "  distance  0\n"));
}

TEST_CASE("what an explained address was taken as and how exact it is are told") {
  explained_service of;
  CHECK(contains(of.text_for("2002:c633:6401::1"),
                 "\n2002:c633:6401::1 (as 198.51.100.1): 35.6544, 139.7447, by country, in JP, "
                 "from " +
                     of.places + "; of no known autonomous system\n"));
  const auto unknown = of.text_for("203.0.113.1");
  CHECK(contains(unknown, "203.0.113.1: unknown, and there is no fallback location: all distances "
                          "are 0; of no known autonomous system\n"));
  CHECK(contains(unknown, "\nlon        London  0   -   -           -       -\n"));
  of.fallback = model::coordinates{48.85, 2.35};
  const auto text = of.text_for("203.0.113.1");
  CHECK(contains(text, "203.0.113.1: unknown; the fallback location is 48.8500, 2.3500; "));
  CHECK(text.find("\npar        Paris   0  ") < text.find("\nlon "));
}

TEST_CASE("without regions or files the places are told") {
  explained_service of;
  of.has_no_regions = true;
  auto made = of.explained("192.0.2.1");
  CHECK(contains(explain_text(made, 0), "from " + of.asns + "\nno regions\n"));
  made.files.clear();
  CHECK(explain_text(made, 0).starts_with("192.0.2.1: 51.5000"));
}

TEST_CASE("what players near an explained address reported is shown") {
  explained_service of;
  model::latency_learner learner;
  const model::latency_region region{"lon", {51.5, -0.125}};
  learner.set_regions(std::vector{region});
  const auto cell = model::place_cell(region.where);
  learner.put({cell, "lon", region.where, model::voices_of(25, 7, 29'400'000, cell, 0)});
  learner.refit();
  of.latencies = learner.publish();
  const auto text = of.text_for("192.0.2.1");
  CHECK(contains(text, "\nKIND   CELL           REGIONS  REPORTS\n"
                       "place  " +
                           to_string(cell) + "  1        7\n\nREGION ID  "));
  CHECK(contains(text, "  place     7\n"));
}

TEST_CASE("the JSON of explained addresses has stable members") {
  using e2e::member_names;
  using names = std::vector<std::string>;
  const explained_service of;
  const auto json = explain_json(of.explained("2002:c633:6401::1"));
  CHECK(json.ends_with("}\n"));
  const auto document = e2e::parse_json(json);
  REQUIRE(document.IsObject());
  CHECK(member_names(document) == names{"files", "addresses"});
  CHECK(member_names(document["files"][0]) == names{"file", "database_type", "built"});
  CHECK(e2e::text_at(document["files"][1], "database_type") == "CSV");
  CHECK(document["files"][1]["built"].IsNull());
  const auto& found = document["addresses"][0];
  CHECK(member_names(found) == names{"address", "looked_up", "precision", "asn_file", "ranking"});
  CHECK(e2e::text_at(found, "looked_up") == "198.51.100.1");
  CHECK(e2e::text_at(found, "precision") == "country");
  CHECK(e2e::text_at(found, "asn_file") == of.asns);
  CHECK(e2e::text_at(found["ranking"], "country") == "JP");
  CHECK(found["ranking"]["listing"]["regions"].Size() == 2);
  const auto unknown = e2e::parse_json(explain_json(of.explained("203.0.113.1")));
  CHECK(unknown["addresses"][0]["precision"].IsNull());
}

} // namespace
} // namespace matchcloud::app
