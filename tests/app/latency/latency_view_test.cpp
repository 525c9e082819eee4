#include "app/latency/latency_view.hpp"

#include "model/latency/latency_csv.hpp"
#include "model/latency/learner.hpp"
#include "store/geoip/mmdb_file.hpp"
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {
namespace {

using namespace fixtures;

constexpr std::int64_t now_ms = 1'764'000'000'000;
constexpr std::uint32_t now_minute = now_ms / 60'000;

/// London, Paris and Amsterdam. 192.0.2.0/24 is in London, whose players reach Amsterdam fastest.
class surroundings {
public:
  surroundings() {
    catalog_.regions = {{"ams", "Amsterdam", "Cloud", {52.37, 4.9}},
                        {"lon", "London", "Cloud", {51.5, -0.125}},
                        {"par", "Paris", "Cloud", {48.85, 2.35}}};
    mmdb_builder builder;
    builder.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(51.5, -0.125));
    const auto file = store::mmdb_file::open(folder_.file("places.mmdb", builder.build()));
    REQUIRE(file.has_value());
    geoip_ = store::geoip::of({*file});
    std::vector<model::latency_region> regions;
    for (const auto& each : catalog_.regions)
      regions.push_back({each.region_id, each.datacenter_coord});
    learner_.set_regions(regions);
  }

  void learn(model::latency_cell cell, const std::string& region_id, double value) {
    const auto* const region = catalog_.find_region(region_id);
    learner_.put(model::entry_of({cell, region_id, value, 20, 7, now_minute - 120}, cell,
                                 {region_id, region->datacenter_coord}));
  }
  latency_view view(std::string_view address) {
    learner_.refit(now_ms);
    snapshot_ = learner_.publish(now_ms);
    auto made = look_at({snapshot_.get(), &catalog_, where, geoip_.get(), fallback},
                        *model::parse_ip_address(address));
    made.entries = learner_.entries();
    return made;
  }

  std::optional<model::coordinates> fallback;
  const model::game_namespace* where = nullptr;

private:
  temporary_directory folder_;
  model::catalog catalog_;
  std::shared_ptr<const store::geoip> geoip_;
  model::latency_learner learner_;
  std::shared_ptr<const model::latency_snapshot> snapshot_;
};

const model::latency_cell london = model::place_cell({51.5, -0.125});

TEST_CASE("an address is shown with what is known of its cells and what is predicted") {
  surroundings in;
  in.learn(london, "lon", 25);
  in.learn(london, "ams", 9);
  in.learn(model::network_cell(*model::parse_ip_address("192.0.2.1")), "lon", 26);
  const auto view = in.view("192.0.2.77");
  REQUIRE(view.known.size() == 3);
  CHECK(view.known[0].cell.kind() == model::cell_kind::network);
  CHECK(view.known[0].reporters == 7);
  CHECK(view.known[0].age_hours == 2);
  REQUIRE(view.regions.size() == 3);
  CHECK(view.regions[0].where->region_id == "ams");
  CHECK(view.regions[0].by_distance == 3);
  CHECK(view.regions[0].predicted.source == model::latency_source::place);
  CHECK(view.regions[0].reports == Approx(20).margin(0.5));
  const auto text = latency_text(view, 0);
  CHECK(text.starts_with("192.0.2.77: 51.5000, -0.1250, "));
  CHECK(contains(text, "\n3 latencies are in the store\nKIND     CELL           REGION ID  MS"));
  CHECK(contains(text, "\nnetwork  192.0.2.0/24   lon        26.0  -      19."));
  CHECK(contains(text, "\nREGION ID  NAME       MS"));
  CHECK(contains(text, "\nams        Amsterdam  9."));
}

TEST_CASE("with nothing learned, the order is that of distance") {
  surroundings in;
  const auto view = in.view("192.0.2.1");
  CHECK(view.known.empty());
  for (std::size_t i = 0; i < view.regions.size(); ++i)
    CHECK(view.regions[i].by_distance == i + 1);
  CHECK(view.regions.front().where->region_id == "lon");
  CHECK(view.regions.front().predicted.source == model::latency_source::distance);
  CHECK(contains(latency_text(view, 0),
                 "\n0 latencies are in the store, none of them for a cell of this address\n"));
}

TEST_CASE("an address that no file knows is at the fallback location, or nowhere") {
  surroundings in;
  const auto nowhere = in.view("203.0.113.1");
  CHECK(nowhere.regions.front().predicted.source == model::latency_source::nothing);
  CHECK(latency_text(nowhere, 0)
            .starts_with("203.0.113.1: its place is unknown, and there is no "
                         "fallback location\n"));
  CHECK(contains(latency_text(nowhere, 0), "\nams        Amsterdam  -   -           -       0.0"));
  in.fallback = model::coordinates{48.85, 2.35};
  const auto text = latency_text(in.view("203.0.113.1"), 0);
  CHECK(text.starts_with("203.0.113.1: 48.8500, 2.3500, the fallback location\n"));
  CHECK(contains(text, "\npar        Paris"));
}

TEST_CASE("only the regions of a namespace are shown") {
  surroundings in;
  model::game_namespace of;
  of.regions = std::vector<std::string>{"par"};
  in.where = &of;
  const auto view = in.view("192.0.2.1");
  REQUIRE(view.regions.size() == 1);
  CHECK(view.regions.front().where->region_id == "par");
}

TEST_CASE("the JSON of a view has stable members") {
  using names = std::vector<std::string>;
  surroundings in;
  in.learn(london, "lon", 25);
  in.learn(model::asn_cell(64'500), "lon", 1.25); // of no address here
  const auto known = e2e::parse_json(latency_json(in.view("192.0.2.1")));
  CHECK(e2e::member_names(known) == names{"address", "looked_up", "location", "precision",
                                          "country", "asn", "file", "asn_file", "entries", "known",
                                          "regions"});
  CHECK(known["entries"].GetUint64() == 2);
  REQUIRE(known["known"].Size() == 1);
  CHECK(e2e::member_names(known["known"][0]) ==
        names{"kind", "cell", "region_id", "ms", "ratio", "reports", "reporters", "age_hours"});
  CHECK(known["known"][0]["ms"].GetDouble() == 25);
  CHECK(known["known"][0]["ratio"].IsNull());
  REQUIRE(known["regions"].Size() == 3);
  CHECK(e2e::member_names(known["regions"][0]) == names{"region_id", "region_display_name",
                                                        "latency", "kilometers", "miles",
                                                        "rank_by_distance"});
  CHECK(e2e::member_names(known["regions"][0]["latency"]) ==
        names{"ms", "confidence", "source", "reports"});
  const auto unknown = e2e::parse_json(latency_json(in.view("203.0.113.1")));
  CHECK(unknown["location"].IsNull());
  CHECK(unknown["regions"][0]["latency"].IsNull());
  CHECK(unknown["regions"][0]["rank_by_distance"].IsNull());
}

} // namespace
} // namespace matchcloud::app
