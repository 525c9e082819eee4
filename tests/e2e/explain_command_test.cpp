// `matchcloud explain`: where a service would locate addresses, and how it would rank regions for
// them.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/mmdb_builder.hpp"
#include "tests/service/server.hpp"
#include "tests/service/tokens.hpp"

#include <filesystem>

namespace {

using namespace matchcloud::e2e;
using namespace matchcloud::fixtures;

/// Runs `matchcloud explain ADDRESS.. FLAGS..`.
command_result explain(arguments args, const environment& added = {}) {
  args.insert(args.begin(), "explain");
  return run(args, added);
}

/// A database of flat records without IPv6: 192.0.2.0/24 in Tokyo.
std::string flat_file() {
  mmdb_builder builder{{4, 28}};
  builder.add_v4({192, 0, 2, 0}, 24, mmdb_flat_record(35.5F, 139.75F));
  return builder.build();
}

/// A database with everything in Germany except 2001:db8::/32, which is in Japan.
std::string country_file() {
  const auto of = [](std::string_view code) {
    return mmdb_map({{"country", mmdb_map({{"iso_code", mmdb_string(code)}})}});
  };
  mmdb_builder builder;
  builder.add_v4({0, 0, 0, 0}, 0, of("DE"));
  builder.add_v6({0x20, 0x01, 0x0d, 0xb8}, 32, of("JP"));
  return builder.build();
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

TEST_CASE("explain prefers coordinates to a country whatever the order of the files",
          "[operations]") {
  const temporary_directory folder;
  const auto flat = folder.file("flat.mmdb", flat_file());
  const auto countries = folder.file("countries.mmdb", country_file());
  for (const auto& files : {flat + "," + countries, countries + "," + flat}) {
    const auto got =
        explain({"192.0.2.9", "64:ff9b::192.0.2.9", "198.51.100.1", "2001:db8::1", "2001:db9::1",
                 "--format", "json", "--geoip", files, "--data-dir", folder.path("none")});
    INFO(got.errors);
    REQUIRE(got.exit_code == 0);
    const auto document = parse_json(got.out);
    REQUIRE(document.IsObject());
    const auto& all = document["addresses"];
    const auto ranking = [&](rapidjson::SizeType i) -> const rapidjson::Value& {
      return all[i]["ranking"];
    };
    for (const rapidjson::SizeType exact : {0U, 1U}) {
      CHECK(text_at(all[exact], "precision") == "exact");
      CHECK(text_at(ranking(exact), "file") == flat);
      CHECK(ranking(exact)["place"]["latitude"].GetDouble() == 35.5);
    }
    CHECK(text_at(ranking(2), "country") == "DE");
    CHECK(ranking(2)["place"]["latitude"].GetDouble() == Approx(52.5).margin(0.01));
    CHECK(text_at(ranking(3), "country") == "JP");
    CHECK(text_at(ranking(4), "source") == "unknown");
    CHECK(ranking(0)["listing"]["regions"].Empty());
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
  const auto wrong = folder.file("wrong.csv", "192.0.2.0,192.0.2.255,64496\n192.0.2.0/24\n");
  const auto refused = explain({"192.0.2.1", "--geoip-asn", wrong});
  CHECK(refused.exit_code == 1);
  CHECK(contains(refused.errors, wrong + ": line 2: `192.0.2.0/24` is not an IP address"));
}

TEST_CASE("explain takes its configuration from file, environment and flags",
          "[operations][embedded]") {
  const auto& in = shared_world();
  const temporary_directory folder;
  const auto config = folder.file("serve.toml", "geoip = [\"" + in.geoip() + "\"]\n" +
                                                    "data-dir = \"" + in.data_dir() + "\"\n" +
                                                    "fallback-location = \"35.6762,139.6503\"\n");
  CHECK(ranked_ids(explain({"203.0.113.1", "--format", "json", "--config", config})).front() ==
        "nrt");
  CHECK(ranked_ids(explain({"203.0.113.1", "--format", "json", "--config", config},
                           {"MATCHCLOUD_FALLBACK_LOCATION=51.5,-0.1"}))
            .front() == "lon");
  CHECK(ranked_ids(explain({"203.0.113.1", "--format", "json", "--config", config,
                            "--fallback-location", "50.11,8.68"},
                           {"MATCHCLOUD_FALLBACK_LOCATION=51.5,-0.1"}))
            .front() == "fra");
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

TEST_CASE("explain fails where the store is damaged", "[operations]") {
  const temporary_directory folder;
  REQUIRE(run({"demo", "--data-dir", folder.path()}).exit_code == 0);
  folder.file("matchcloud.db", std::string(5'000, 'x'));
  for (const arguments& format : {arguments{}, arguments{"--format", "json"}}) {
    arguments args{"192.0.2.1", "--data-dir", folder.path()};
    args.insert(args.end(), format.begin(), format.end());
    const auto got = explain(args);
    CHECK(got.exit_code == 1);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, "file is not a database"));
  }
}

TEST_CASE("explain refuses what is no address and what is no database", "[operations]") {
  const temporary_directory folder;
  for (const std::string wrong :
       {"localhost", "192.0.2", "192.0.2.1:80", "fe80::1%eth0", "192.0.2.0/24", ""}) {
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

TEST_CASE("a database that is still packed is named as such, with what to do", "[operations]") {
  const temporary_directory folder;
  mmdb_builder cities;
  cities.add_v4({192, 0, 2, 0}, 24, mmdb_nested_record(51.5074, -0.1278));
  folder.file("city.mmdb", cities.build());
  const auto packed =
      run({"-c", "cd " + folder.path() +
                     " && gzip -k city.mmdb && mkdir GeoLite2-City_20260101 && "
                     "cp city.mmdb GeoLite2-City_20260101/GeoLite2-City.mmdb && "
                     "tar -cf city.tar GeoLite2-City_20260101 && gzip -k city.tar && "
                     "cp city.tar.gz named.mmdb"},
          {}, {}, "/bin/sh");
  INFO(packed.errors);
  REQUIRE(packed.exit_code == 0);
  const std::string then = ") and use the database in it";
  for (const auto& [name, what] : std::vector<std::pair<std::string, std::string>>{
           {"city.mmdb.gz", "packed with gzip. Unpack it (gzip -d"},
           {"city.tar.gz", "a tar archive packed with gzip. Unpack it (tar -xzf"},
           {"named.mmdb", "a tar archive packed with gzip. Unpack it (tar -xzf"},
           {"city.tar", "a tar archive. Unpack it (tar -xf"}}) {
    const auto path = folder.path(name);
    const auto says = path + ": it is " + what + then;
    const auto shown = explain({"192.0.2.1", "--geoip", path, "--data-dir", folder.path("none")});
    INFO(shown.errors);
    CHECK(shown.exit_code == 1);
    CHECK(contains(shown.errors, says));
    const auto served = run({"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0",
                             "--data-dir", folder.path("data"), "--geoip", path});
    INFO(served.errors);
    CHECK(served.exit_code == 1);
    CHECK(contains(served.errors, says));
  }
  const auto unpacked = explain(
      {"192.0.2.1", "--geoip", folder.path("city.mmdb"), "--data-dir", folder.path("none")});
  CHECK(unpacked.exit_code == 0);
  CHECK(contains(unpacked.out, "192.0.2.1: 51.5074, -0.1278"));
}

} // namespace
