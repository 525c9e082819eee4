// The commands about latencies: what they import and explain.
#include "app/latency/explain_report.hpp"

#include "actors/region_ranking/region_ranking.hpp"
#include "app/latency/kept_latencies.hpp"
#include "app/latency/latency_importer.hpp"
#include "model/catalog/catalog_document.hpp"
#include "model/latency/cell.hpp"
#include "model/latency/latency_csv.hpp"
#include "model/latency/learner.hpp"
#include "store/geoip/source_files.hpp"
#include "store/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <map>
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

TEST_CASE("an explained address shows the address looked up and its precision") {
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

TEST_CASE("the reports of players near an explained address are shown") {
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

using fixtures::contains;
using fixtures::temporary_directory;
using geoip_ptr = std::shared_ptr<const store::geoip>;

constexpr std::int64_t import_ms = 1'764'000'000'000;

/// A store with the regions London and New York.
struct latency_importer_bench {
  temporary_directory data;
  std::shared_ptr<store::database> store;
  model::catalog catalog;
  cli::interrupt until;
  cli::progress_display progress{base::machine_clock()};
  bool has_geoip = true;
  bool skips_unknown = false;

  latency_importer_bench() {
    auto opened = store::open_sqlite(data.path());
    REQUIRE(opened.has_value());
    store = *std::move(opened);
    model::catalog_document document;
    document.regions = {{"lon", "London", "Cloud", {51.5, -0.125}},
                        {"nyc", "New York", "Cloud", {40.7, -74}}};
    const auto in = store->catalog().value();
    REQUIRE(in->import_document(document).has_value());
    catalog = in->load().value();
  }

  latency_importer importer() {
    app::latency_import_settings settings;
    settings.catalog = &catalog;
    if (has_geoip) settings.open_geoip = [this] { return open_geoip(); };
    settings.skips_unknown = skips_unknown;
    settings.now_ms = import_ms;
    return latency_importer{std::move(settings), progress};
  }
  /// 192.0.2.0/24 is in London.
  geoip_ptr open_geoip() const {
    fixtures::mmdb_builder builder;
    builder.add_v4({192, 0, 2, 0}, 24, fixtures::mmdb_nested_record(51.5, -0.1));
    const auto file = store::mmdb_file::open(data.file("places.mmdb", builder.build()));
    REQUIRE(file.has_value());
    return store::geoip::of({*file});
  }
  base::expected<void> check(latency_importer& import, const std::string& text) const {
    auto in = app::line_input::open(data.file("rtt.csv", text));
    return base::attempt([&] { import.check("rtt.csv", in, until); });
  }
  /// What is wrong with a file; empty: nothing.
  std::string findings(const std::string& text) {
    auto import = importer();
    const auto checked = check(import, text);
    REQUIRE(checked.has_value());
    return import.findings().empty() ? "" : import.findings().failure().value().detail;
  }
  app::latency_import_summary import(const std::string& text) {
    auto import = importer();
    REQUIRE(check(import, text).has_value());
    REQUIRE(import.findings().empty());
    const auto into = store->latencies().value();
    return import.write(*into, until);
  }
  /// By kind, cell and region.
  std::map<std::string, model::learned_entry> stored() const {
    std::map<std::string, model::learned_entry> found;
    const auto in = store->latencies().value();
    app::read_all(*in, [&](const auto& entries) {
      for (const auto& each : entries)
        found[std::string{name_of(each.cell.kind())} + " " + to_string(each.cell) + " " +
              each.region_id] = each;
    });
    return found;
  }
  std::string exported() const {
    std::string text{model::latency_csv_header};
    for (const auto& [key, each] : stored())
      append_latency_csv(text, each);
    return text;
  }
};

TEST_CASE("rows by coordinates and by address count for their place") {
  latency_importer_bench in;
  CHECK(in.import("latitude,longitude,region,ms\n51.5,-0.1,lon,8\n51.52,-0.11,lon,10\n"
                  "51.5,-0.1,nyc,72\n")
            .entries == 2);
  CHECK(in.import("address,region,ms,reports\n192.0.2.9,lon,9,3\n").rows == 1);
  const auto all = in.stored();
  REQUIRE(all.size() == 2);
  const auto& london = all.at("place 51.625,-0.125 lon");
  CHECK(london.voices.size() == 5);
  CHECK(london.region_at == model::coordinates{51.5, -0.125});
  CHECK(london.minute() == import_ms / 60'000);
  CHECK(all.at("place 51.625,-0.125 nyc").voices.size() == 1);
}

TEST_CASE("latencies exported from one store and imported into another are the same") {
  latency_importer_bench from;
  from.import("kind,cell,region,ms,ratio,reports,reporters,reported\n"
              "network,81.2.69.0/24,lon,7.5,,12,6,2025-11-20T08:00:00Z\n"
              "network,2001:db8:1::/48,nyc,71,,40.5,16,2025-11-23\n"
              "place,\"51.5,-0.1\",lon,8.25,,150.3,9,2025-11-24T15:00:00Z\n"
              "asn,AS13335,lon,,0.8,2.5,2,2025-11-01\n"
              "country,GB,nyc,,1.33,200,16,2025-11-24\n");
  CHECK(from.stored().size() == 3);
  latency_importer_bench into;
  CHECK(into.import(from.exported()).entries == 3);
  const auto before = from.stored();
  const auto after = into.stored();
  REQUIRE(after.size() == before.size());
  for (const auto& [key, was] : before) {
    CAPTURE(key);
    REQUIRE(after.contains(key));
    const auto& is = after.at(key);
    CHECK(is.minute() == was.minute());
    CHECK(is.voices.size() == was.voices.size());
  }
  CHECK(into.exported() == from.exported());
}

TEST_CASE("the order of rows does not matter") {
  latency_importer_bench first;
  latency_importer_bench second;
  const std::string header = "latitude,longitude,region,ms,reported\n";
  const std::string old = "51.5,-0.1,lon,30,2025-11-03\n";
  const std::string fresh = "51.5,-0.1,lon,8,2025-11-24\n";
  first.import(header + old + fresh + fresh);
  second.import(header + fresh + old + fresh);
  CHECK(first.stored() == second.stored());
  CHECK(first.stored().begin()->second.voices.size() == 3);
}

TEST_CASE("all wrong lines are told, each with its place and what to do") {
  latency_importer_bench in;
  const auto text = in.findings("latitude,longitude,region,ms\n"
                                "51.5,-0.1,lon,8\n"
                                "\n"
                                "51.5,-0.1,par,8\n"
                                "51.5,-0.1,lon\n"
                                "51.5,-0.1,nyc,0.072\n"
                                "35.6,139.6,nyc,30\n");
  CHECK(contains(text, "rtt.csv:4: The catalog does not have the region `par`. Import it first"));
  CHECK(contains(text, "rtt.csv:5: The line has 3 values, but the first line names 4 columns."));
  CHECK(contains(text, "rtt.csv:6: `ms` is faster than light in glass: 55"));
  CHECK(contains(text, "rtt.csv:7: `ms` is faster than light in glass: 108"));
  CHECK_FALSE(contains(text, "rtt.csv:2:"));
  CHECK(in.stored().empty());
}

TEST_CASE("a file with a wrong header has one finding") {
  latency_importer_bench in;
  CHECK(contains(in.findings(""), "rtt.csv:1: The file is empty. The first line must name"));
  const auto text = in.findings("\nlatitude,longitude,ms\n1,2,3\n4,5\n");
  CHECK(text.starts_with("rtt.csv:2: There is no column `region`."));
  CHECK_FALSE(contains(text, "rtt.csv:3"));
}

TEST_CASE("addresses need GeoIP files that know them") {
  latency_importer_bench in;
  CHECK(contains(in.findings("address,region,ms\n203.0.113.1,lon,9\n"),
                 "rtt.csv:2: No GeoIP file has a place for 203.0.113.1."));
  in.has_geoip = false;
  CHECK(contains(in.findings("address,region,ms\n192.0.2.1,lon,9\n192.0.2.1,lon,9\n"),
                 "rtt.csv:1: Rows by `address` need GeoIP files"));
}

TEST_CASE("rows of unknown regions are skipped and counted if that is wanted") {
  latency_importer_bench in;
  in.skips_unknown = true;
  const auto done = in.import("latitude,longitude,region,ms\n51.5,-0.1,lon,8\n51.5,-0.1,par,8\n");
  CHECK(done.rows == 1);
  CHECK(done.skipped == 1);
}

TEST_CASE("more rows than one batch are all added") {
  latency_importer_bench in;
  std::string text = "latitude,longitude,region,ms\n";
  for (int i = 0; i < 2'500; ++i)
    text +=
        std::to_string(-60 + i / 100 * 0.25) + "," + std::to_string(i % 100 * 0.25) + ",lon,1500\n";
  const auto done = in.import(text);
  CHECK(done.entries == 2'500);
  CHECK(in.stored().size() == 2'500);
}

} // namespace
} // namespace matchcloud::app
