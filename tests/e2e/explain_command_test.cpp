// `matchcloud explain` and `latency`: where a service would locate addresses, how it would rank
// regions for them, and learned latencies as files.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/csv_reader.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tokens.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

namespace {

using namespace matchcloud::e2e;
using namespace matchcloud::fixtures;

/// Runs `matchcloud explain ADDRESS.. FLAGS..`.
command_result explain(arguments args, const environment& added = {}) {
  args.insert(args.begin(), "explain");
  return run(args, added);
}

/// The ids of the regions for the only address, nearest first.
arguments ranked_ids(const command_result& got) {
  INFO(got.errors);
  REQUIRE(got.exit_code == 0);
  const auto document = parse_json(got.out);
  REQUIRE(document.IsObject());
  arguments ids;
  for (const auto& region : document["addresses"][0]["ranking"]["listing"]["regions"].GetArray())
    ids.push_back(text_at(region, "region_id"));
  REQUIRE_FALSE(ids.empty());
  return ids;
}

TEST_CASE("explain shows where addresses are and what is near", "[operations]") {
  const auto& in = shared_world();
  const auto got = explain({"192.0.2.1", "2002:c633:6401::9", "203.0.113.5", "--geoip", in.geoip(),
                            "--data-dir", in.data_dir()});
  INFO(got.errors);
  CHECK(got.exit_code == 0);
  CHECK(contains(got.out, "matchcloud-test  2023-11-14\n"));
  CHECK(contains(got.out,
                 "192.0.2.1: 51.5074, -0.1278, exact, from " + in.geoip() + "\nREGION ID  NAME"));
  CHECK(contains(got.out, "2002:c633:6401::9 (as 198.51.100.1): 35.6762, 139.6503, exact"));
  CHECK(contains(got.out, "203.0.113.5: unknown, and there is no fallback location"));
}

TEST_CASE("explain ranks as the service answers, byte for byte", "[operations]") {
  const world in;
  const server service{{"--geoip", in.geoip(), "--trusted-proxies", "127.0.0.1"}, in};
  for (const std::string address : {"192.0.2.1", "198.51.100.7", "2001:db8::5", "203.0.113.1"}) {
    raw_connection client{service.data()};
    const auto listed =
        client.ask(request("GET", regions_target, {}, "X-Forwarded-For: " + address + "\r\n"));
    const auto ranking = ask_ops(service, "GET", "/v1/ranking?address=" + address).body;
    const auto got =
        explain({address, "--format", "json", "--geoip", in.geoip(), "--data-dir", in.data_dir()});
    INFO(got.out);
    CHECK(contains(got.out, "\"ranking\":" + ranking + "}"));
    CHECK(contains(got.out, "\"listing\":" + listed.body + "}"));
  }
}

TEST_CASE("explain tells autonomous systems by a file of their own, also without places",
          "[operations]") {
  const auto& in = shared_world();
  const temporary_directory folder;
  const auto csv = folder.file("asn.csv", "192.0.2.0,192.0.2.255,64496,Example\n");
  const arguments base{"192.0.2.1", "--geoip-asn", csv, "--data-dir", folder.path("none")};
  auto with_places = base;
  with_places.insert(with_places.end(), {"--geoip", in.geoip()});
  const auto both = explain(with_places);
  INFO(both.errors);
  CHECK(both.exit_code == 0);
  CHECK(contains(both.out, ", exact, from " + in.geoip() + "; AS64496, from " + csv + "\n"));
  const auto alone = explain(base);
  CHECK(alone.exit_code == 0);
  CHECK(contains(alone.errors, "no GeoIP file (--geoip FILE): every location is unknown"));
  CHECK(contains(alone.out, "; AS64496, from " + csv + "\n"));
}

TEST_CASE("explain ranks the regions of a namespace", "[operations]") {
  const auto& in = shared_world();
  const arguments base{"192.0.2.1", "--format",   "json",       "--geoip",
                       in.geoip(),  "--data-dir", in.data_dir()};
  const std::string eu = "00000000-0000-4000-8000-000000000021";
  auto of_one = base;
  of_one.insert(of_one.end(), {"--namespace", eu});
  CHECK(ranked_ids(explain(of_one)) == arguments{"lon", "fra"});
  CHECK(ranked_ids(explain(base, {"MATCHCLOUD_DEFAULT_NAMESPACE=" + eu})) ==
        arguments{"lon", "fra"});
  for (const std::string wrong : {"00000000-0000-4000-8000-0000000000ff", "eu"}) {
    auto args = base;
    args.insert(args.end(), {"--namespace", wrong});
    const auto got = explain(args);
    CHECK(got.exit_code == 2);
    CHECK(contains(got.errors, "there is no namespace `" + wrong + "`; namespaces: `"));
  }
}

TEST_CASE("explain without a store or files says so and leaves nothing behind", "[operations]") {
  const temporary_directory folder;
  const auto got = explain({"192.0.2.1", "--data-dir", folder.path("none")});
  CHECK(got.exit_code == 0);
  CHECK(contains(got.errors, "no GeoIP file"));
  CHECK(contains(got.errors, "nothing is ranked: "));
  CHECK(contains(got.errors, "there is no store"));
  CHECK(contains(got.out, "192.0.2.1: unknown"));
  CHECK_FALSE(std::filesystem::exists(folder.path("none")));
}

TEST_CASE("explain refuses what is no address and what is no database", "[operations]") {
  const temporary_directory folder;
  for (const std::string wrong : {"localhost", "192.0.2.1:80"}) {
    const auto got = explain({"192.0.2.1", wrong, "--data-dir", folder.path("none")});
    INFO(wrong);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, wrong));
  }
  CHECK(explain({}).exit_code == 2);

  mmdb_builder asn;
  asn.add_v4({192, 0, 2, 0}, 24, mmdb_map({{"as_name", mmdb_string("Example")}}));
  const auto path = folder.file("asn.mmdb", asn.build());
  const auto got = explain({"192.0.2.1", "--geoip", path, "--data-dir", folder.path("none")});
  CHECK(got.exit_code == 1);
  CHECK(got.out.empty());
  CHECK(contains(got.errors, path + ": it is a database of the type `matchcloud-test`"));
}

// -- latencies ----------------------------------------------------------------

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
  const auto file = into.in().directory().path("out.csv");
  const auto got = into.latency({"export", file});
  CHECK(got.exit_code == 0);
  CHECK(read_whole(file) == text);
  CHECK(got.errors == "2 latencies, " + std::to_string(text.size()) + " bytes\n");
  const auto placed = into.import("address,region,ms\n192.0.2.1,lon,9\n2001:db8::7,lon,9\n",
                                  {"--geoip", into.in().geoip()});
  CHECK(placed.out == "2 rows added to 1 latencies; 0 rows of unknown regions skipped\n");
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
  CHECK(contains(refused.errors, "other.csv:1: Columns must say where the client is in one way"));
  CHECK(in.exported() == no_rows);
  const auto skipped = in.import("latitude,longitude,region,ms\n51.5,-0.1,lon,9\n51.5,-0.1,xyz,9\n",
                                 {"--skip-unknown"});
  CHECK(skipped.out == "1 rows added to 1 latencies; 1 rows of unknown regions skipped\n");
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
  const auto text = explain({"192.0.2.9", "--rank-by", "latency", "--geoip", in.in().geoip(),
                             "--data-dir", in.in().data_dir()});
  CHECK(contains(text.out, "\nplace  51.625,-0.125  2        16\n"));
}

} // namespace
