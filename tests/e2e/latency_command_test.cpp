// `matchcloud latency`: learned latencies as files, and what is predicted from them.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/csv_reader.hpp"
#include "tests/fixtures/deadline.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/server.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
using matchcloud::fixtures::read_csv;
using matchcloud::fixtures::read_whole;

/// A store of its own. Players in London reach Frankfurt fastest.
class latency_store {
public:
  const world& in() const { return world_; }

  /// Runs `matchcloud latency ARGS..`.
  command_result latency(arguments args) const {
    args.insert(args.begin(), "latency");
    args.insert(args.end(), {"--data-dir", world_.data_dir()});
    return run(args);
  }
  command_result import(const std::string& text, const arguments& flags = {}) const {
    arguments args{"import", world_.directory().file("in.csv", text)};
    args.insert(args.end(), flags.begin(), flags.end());
    return latency(args);
  }
  void import_london() const {
    const auto done = import("latitude,longitude,region,ms,reports\n51.5074,-0.1278,lon,31,50\n"
                             "51.5074,-0.1278,fra,12,50\n");
    INFO(done.errors);
    REQUIRE(done.exit_code == 0);
  }
  std::string exported() const {
    const auto got = latency({"export"});
    INFO(got.errors);
    CHECK(got.exit_code == 0);
    return got.out;
  }

private:
  world world_;
};

const std::string no_rows = "kind,cell,region,ms,ratio,reports,reporters,reported\r\n";

TEST_CASE("imported latencies are exported, and are the same in another store", "[operations]") {
  const latency_store from;
  CHECK(from.exported() == no_rows);
  const auto done = from.import("kind,cell,region,ms,ratio,reports,reporters,reported\n"
                                "network,192.0.2.0/24,lon,7.5,,12,6,2026-01-31T08:00:00Z\n"
                                "place,\"51.6,-0.2\",fra,14.25,,3,2,2026-01-31\n"
                                "country,gb,lon,,0.9,20.5,9,2026-01-31\n");
  INFO(done.errors);
  CHECK(done.exit_code == 0);
  CHECK(done.out == "2 rows added to 2 latencies; 0 rows of unknown regions skipped; 1 rows of the "
                    "kinds asn and country skipped\n");
  const auto text = from.exported();
  const auto rows = read_csv(text);
  REQUIRE(rows.has_value());
  CHECK(rows->size() == 3);
  CHECK(contains(text, "\r\nplace,\"51.625,-0.125\",fra,14.2"));
  CHECK(contains(text, ",2.0,2,2026-01-31T00:00:00Z\r\n"));
  const latency_store into;
  CHECK(into.import(text).exit_code == 0);
  CHECK(into.exported() == text);
}

TEST_CASE("an export to a file is whole, and counts on stderr", "[operations]") {
  const latency_store in;
  in.import_london();
  const auto file = in.in().directory().path("out.csv");
  const auto got = in.latency({"export", file});
  CHECK(got.exit_code == 0);
  CHECK(got.out.empty());
  const auto text = read_whole(file);
  CHECK(text == in.exported());
  CHECK(got.errors == "2 latencies, " + std::to_string(text.size()) + " bytes\n");
  CHECK(in.latency({"export", "/dev/full"}).exit_code == 1);
  CHECK(in.latency({"export", ""}).exit_code == 2);
}

TEST_CASE("latencies of a region that has moved or is gone are not exported", "[operations]") {
  const latency_store in;
  in.import_london();
  in.in().import(R"({"regions":[{"region_id":"fra","region_display_name":"Frankfurt",)"
                 R"("provider_display_name":"Demo Cloud",)"
                 R"("datacenter_coord":{"latitude":50.2,"longitude":8.6}}]})");
  const auto got = in.latency({"export"});
  CHECK(std::count(got.out.begin(), got.out.end(), '\n') == 2);
  CHECK(contains(got.errors, "1 latencies were left out: their regions are not in the catalog"));
}

TEST_CASE("rows by address are placed by the GeoIP files", "[operations]") {
  const latency_store in;
  const std::string rows = "address,region,ms\n192.0.2.1,lon,9\n2001:db8::7,lon,9\n";
  const auto refused = in.import(rows);
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, "in.csv:1: Rows by `address` need GeoIP files"));
  const auto done = in.import(rows, {"--geoip", in.in().geoip()});
  INFO(done.errors);
  CHECK(done.out == "2 rows added to 1 latencies; 0 rows of unknown regions skipped\n");
  CHECK(contains(in.exported(), "\r\nplace,\"51.625,-0.125\",lon,"));
}

TEST_CASE("wrong lines are listed with file and line, and nothing is added", "[operations]") {
  const latency_store in;
  const auto other = in.in().directory().file("other.csv", "region,ms\nlon,9\n");
  const std::string rows = "latitude,longitude,region,ms\n51.5,-0.1,lon,9\n51.5,-0.1,xyz,9\n"
                           "91,0,lon,9\n51.5,-0.1,nrt,9\n";
  const auto refused = in.import(rows, {other});
  CHECK(refused.exit_code == 1);
  CHECK(refused.out.empty());
  CHECK(contains(refused.errors, "matchcloud latency import: nothing was added:\n"));
  CHECK(contains(refused.errors, "in.csv:3: The catalog does not have the region `xyz`."));
  CHECK(contains(refused.errors, "in.csv:4: latitude `91` and longitude `0` are not coordinates."));
  CHECK(contains(refused.errors, "in.csv:5: `ms` is faster than light in glass: 95"));
  CHECK(contains(refused.errors, "other.csv:1: Columns must say where the client is in one way"));
  CHECK(in.exported() == no_rows);
  const auto skipped = in.import("latitude,longitude,region,ms\n51.5,-0.1,lon,9\n51.5,-0.1,xyz,9\n",
                                 {"--skip-unknown"});
  CHECK(skipped.out == "1 rows added to 1 latencies; 1 rows of unknown regions skipped\n");
  const auto missing = in.latency({"import", in.in().directory().path("none.csv")});
  CHECK(missing.exit_code == 1);
  CHECK(contains(missing.errors, "none.csv: cannot be opened: No such file or directory"));
}

TEST_CASE("explain predicts from what the store has", "[operations]") {
  const latency_store in;
  in.import_london();
  const auto explain = [&](arguments flags) {
    flags.insert(flags.begin(), {"explain", "192.0.2.9", "--geoip", in.in().geoip(), "--data-dir",
                                 in.in().data_dir()});
    return run(flags);
  };
  const auto text = explain({"--rank-by", "latency"});
  INFO(text.errors);
  CHECK(text.exit_code == 0);
  CHECK(contains(text.out, "\nplace  51.625,-0.125  2        16\n"));
  const auto ranking_in = [](const command_result& got) {
    auto document = parse_json(got.out);
    REQUIRE(document.IsObject());
    return document;
  };
  const auto by_latency = ranking_in(explain({"--rank-by", "latency", "--format", "json"}));
  const auto& first = by_latency["addresses"][0]["ranking"]["latencies"][0];
  CHECK(text_at(first, "region_id") == "fra");
  CHECK(text_at(first["latency"], "source") == "place");
  CHECK(first["latency"]["ms"].GetDouble() == Approx(12).margin(1));
  const auto by_distance = ranking_in(explain({"--format", "json"}));
  CHECK(text_at(by_distance["addresses"][0]["ranking"]["latencies"][0], "region_id") == "lon");
}

TEST_CASE("a running service uses what is imported", "[operations]") {
  const latency_store in;
  server service{
      {"--geoip", in.in().geoip(), "--rank-by", "latency", "--trusted-proxies", "127.0.0.1"},
      in.in()};
  // Listings with details are made again for each request; others may be some seconds old.
  const auto target = regions_target + "?fields=latency";
  const auto first_region = [&] {
    raw_connection client{service.data()};
    const auto listed = client.ask(request("GET", target, {}, "X-Forwarded-For: 192.0.2.1\r\n"));
    const auto answer = parse_json(listed.body);
    return answer.IsObject() ? text_at(answer["regions"][0], "region_id") : std::string{};
  };
  CHECK(first_region() == "lon");
  in.import_london();
  CHECK(eventually([&] { return first_region() == "fra"; }));
}

} // namespace
