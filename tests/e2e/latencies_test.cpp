// Latencies that players report: learned, shown, ranked by, and kept over a restart.
#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/latency_players.hpp"
#include "tests/service/shared_servers.hpp"
#include "tests/service/tokens.hpp"

#include <csignal>
#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;

constexpr int networks = 12;

/// What is learned is taken to a store in the data directory every ten seconds.
constexpr milliseconds kept_by{60'000};

arguments located(const world& in, arguments more = {}) {
  arguments flags{"--geoip", in.geoip(), "--trusted-proxies", "127.0.0.1", "--loops", "2"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

/// Each player is alone in a network.
void report_from_london(const server& to) {
  for (int network = 1; network <= networks; ++network) {
    const auto said = report(to, player_in(network));
    CHECK(said.status == 200);
    CHECK(said.body == R"({"taken":true,"unknown":[]})");
  }
}

std::vector<std::string> order_at(const server& at, const std::string& player,
                                  const std::string& query = {}) {
  std::vector<std::string> ids;
  const auto listed = parse_json(list(at, player, query).body);
  REQUIRE(listed.IsObject());
  for (const auto& region : listed["regions"].GetArray())
    ids.push_back(text_at(region, "region_id"));
  return ids;
}

double learned(const server& by) {
  return by.metric("matchcloud_latency_reports_total{outcome=\"learned\"}");
}

TEST_CASE("what players report is predicted for others of their place", "[operations]") {
  const auto transport = GENERATE("loops", "httplib");
  const world of;
  const server at{located(of, {"--transport", transport}), of};
  const auto before = predict(at, player_in(9'999), "fra");
  REQUIRE(before);
  CHECK(before->source == "distance");
  CHECK(before->reports == 0);
  report_from_london(at);
  CHECK(eventually([&] { return knows(at, networks - 2); }));
  CHECK(predict(at, player_in(9'999), "fra")->ms < predict(at, player_in(9'999), "lon")->ms);
  // What a single player of a network reported is not shown; a place without reports asks its
  // neighbours.
  CHECK(predict(at, player_in(3), "fra")->source == "place");
  CHECK(predict(at, "X-Forwarded-For: 198.51.100.1\r\n", "fra")->source != "place");
  CHECK(learned(at) == networks);
  CHECK(at.metric("matchcloud_latency_entries") > networks);
}

TEST_CASE("a report is answered with why it is not taken", "[operations]") {
  const world of;
  const server at{located(of, {"--latency-report-interval-s", "86400"}), of};
  CHECK(report(at, player_in(1), R"({"latencies":{"lon":20,"none":5}})").body ==
        R"({"taken":true,"unknown":["none"]})");
  CHECK(report(at, player_in(1)).body == R"({"taken":false,"why":"too_soon","unknown":[]})");
  // Addresses of one IPv6 prefix are one client.
  CHECK(report(at, player_in(1, 2)).body == R"({"taken":false,"why":"too_soon","unknown":[]})");
  CHECK(report(at, player_in(2), R"({"latencies":{"none":5}})").body ==
        R"({"taken":false,"why":"unknown_regions","unknown":["none"]})");
  CHECK(report(at, player_in(3), R"({"latencies":{"nrt":2}})").body ==
        R"({"taken":false,"why":"implausible","unknown":[]})");
  const auto wrong = report(at, player_in(4), R"({"latencies":{"nrt":"fast"}})");
  CHECK(wrong.status == 400);
  CHECK(wrong.problem_code() == "query_invalid");
  CHECK(report(at, player_in(4), "{").problem_code() == "body_malformed");
}

TEST_CASE("by latency, the fastest region is listed first", "[operations][shipped]") {
  const world of;
  const server near{located(of), of};
  const server fast{located(of, {"--rank-by", "latency"}), of};
  for (const auto* at : {&near, &fast}) {
    report_from_london(*at);
    REQUIRE(eventually([&] { return knows(*at, networks - 2); }));
  }
  const auto by_distance = order_at(near, player_in(9'999));
  CHECK(by_distance.front() == "lon");
  // The actors that rank learn a moment later than the operation that shows what is known.
  CHECK(eventually([&] { return order_at(fast, player_in(9'999)).front() == "fra"; }));
  CHECK(order_at(fast, player_in(3)).front() == "fra");
  // What the client measured itself comes first either way.
  CHECK(order_at(fast, player_in(9'999), "?rtt=syd:250,lon:290").front() == "syd");
  CHECK(order_at(near, player_in(9'999), "?rtt=syd:250,lon:290").front() == "syd");
}

TEST_CASE("by distance, a listing has the same bytes whatever was reported", "[operations]") {
  const world of;
  const server quiet{located(of), of};
  const server told{located(of), of};
  report_from_london(told);
  REQUIRE(eventually([&] { return knows(told, networks - 2); }));
  const std::vector<std::string> players{player_in(3), player_in(9'999),
                                         "X-Forwarded-For: 198.51.100.1\r\n",
                                         "X-Forwarded-For: 203.0.113.1\r\n", ""};
  for (const auto& player : players)
    for (const std::string query : {"", "?rtt=nrt:5,lon:9"})
      for (const std::string gzip : {"", "Accept-Encoding: gzip\r\n"})
        for (int time = 0; time < 3; ++time) {
          const auto one = list(quiet, player + gzip, query);
          const auto other = list(told, player + gzip, query);
          CHECK(one.status == 200);
          CHECK(one.body == other.body);
          CHECK(one.header("etag") == other.header("etag"));
        }
}

TEST_CASE("latencies of a listing are learned where a key allows it", "[operations]") {
  const world of;
  const server learning{located(of, {"--learn-from-listings"}), of};
  const server deaf{located(of), of};
  for (const auto* at : {&learning, &deaf})
    for (int network = 1; network <= networks; ++network)
      CHECK(list(*at, player_in(network), "?rtt=fra:9,lon:20,nrt:230").status == 200);
  CHECK(eventually([&] { return knows(learning, networks - 2); }));
  CHECK(learned(learning) == networks);
  CHECK(learned(deaf) == 0);
  CHECK(predict(deaf, player_in(9'999), "fra")->source == "distance");
  // The listing counts as the report of its client.
  CHECK(report(learning, player_in(1)).body == R"({"taken":false,"why":"too_soon","unknown":[]})");
}

TEST_CASE("where learning is off, reports are refused and listings learn nothing", "[operations]") {
  const world of;
  const server at{located(of, {"--latency-learning=false", "--learn-from-listings"}), of};
  CHECK(report(at, player_in(1)).body == R"({"taken":false,"why":"learning_off","unknown":[]})");
  CHECK(list(at, player_in(2), "?rtt=fra:9,lon:20").status == 200);
  // It was heard after that listing.
  CHECK(report(at, player_in(3)).status == 200);
  CHECK(at.metric("matchcloud_latency_entries") == 0);
}

TEST_CASE("a restart knows what was reported before it", "[operations]") {
  const world of;
  predicted before;
  {
    server at{located(of), of};
    report_from_london(at);
    REQUIRE(eventually([&] { return knows(at, networks - 2); }));
    REQUIRE(eventually([&] { return at.metric("matchcloud_latency_unkept_entries") == 0; },
                       deadline{kept_by}));
    before = *predict(at, player_in(9'999), "fra");
    at.process().signal(SIGKILL);
    REQUIRE(at.process().exit_code());
  }
  // Its very first listing is ordered by them.
  const server fast{located(of, {"--rank-by", "latency"}), of};
  CHECK(order_at(fast, player_in(9'999)).front() == "fra");
  const server after{located(of), of};
  CHECK(knows(after, networks - 2));
  const auto now = *predict(after, player_in(9'999), "fra");
  CHECK(now.ms == Approx(before.ms).epsilon(0.05));
  CHECK(now.reports == before.reports);
  // What one player of a network reported was never written down.
  CHECK(predict(after, player_in(3), "fra")->source == "place");
}

TEST_CASE("an explanation tells a client where it was taken to be, and why", "[operations]") {
  const world of;
  const server at{located(of), of};
  report_from_london(at);
  REQUIRE(eventually([&] { return knows(at, networks - 2); }));
  const auto told = parse_json(list(at, player_in(3), "?explain=true").body);
  REQUIRE(told.IsObject());
  const auto& why = told["explanation"];
  CHECK(text_at(why, "address") == "2001:db8:3::1");
  CHECK(text_at(why, "address_from") == "X-Forwarded-For");
  CHECK(why["impossible_rtt"].Empty());
  CHECK(text_at(why, "ranked_by") == "distance");
  CHECK(text_at(why, "source") == "address");
  CHECK(why["place"]["latitude"].GetDouble() == Approx(51.5).margin(0.1));
  CHECK(why["asn"].IsNull());
  CHECK(text_at(why, "file").find('/') == std::string::npos);
  CHECK(text_at(why["cells"][0], "kind") == "place");
  // Only with what was asked for.
  CHECK_FALSE(told["regions"][0].HasMember("latency"));
  const auto direct = parse_json(list(at, "", "?explain=true").body);
  CHECK(text_at(direct["explanation"], "address") == "127.0.0.1");
  CHECK(text_at(direct["explanation"], "address_from") == "connection");
}

TEST_CASE("operators see no network that few have reported from", "[operations]") {
  const world of;
  const server at{located(of, {"--latency-report-interval-s", "1"}), of};
  report_from_london(at);
  REQUIRE(eventually([&] { return knows(at, networks - 2); }));
  const auto shown = [&] {
    return parse_json(ask_ops(at, "GET", "/v1/ranking?address=2001:db8:3::1").body);
  };
  REQUIRE(eventually([&] { return !shown()["cells"].Empty(); }));
  CHECK(text_at(shown()["cells"][0], "kind") == "place");
  CHECK(text_at(shown()["latencies"][0]["latency"], "source") == "place");
  // Clients of other prefixes in the same network.
  for (int prefix = 1; prefix < 40; ++prefix)
    report(at, "X-Forwarded-For: 2001:db8:3:" + std::to_string(prefix) + "::1\r\n");
  CHECK(eventually([&] { return text_at(shown()["cells"][0], "kind") == "network"; }));
}

TEST_CASE("regions say where they can be pinged", "[operations]") {
  const world of;
  of.import(R"({"regions":[{"region_id":"lon","region_display_name":"London",)"
            R"("provider_display_name":"Demo Cloud","datacenter_coord":{"latitude":51.5074,)"
            R"("longitude":-0.1278},"ping_url":"https://lon.example/ping"}]})");
  const server at{located(of), of};
  const auto listed = parse_json(list(at, player_in(1), "?fields=ping_url").body);
  REQUIRE(listed.IsObject());
  CHECK(text_at(listed["regions"][0], "ping_url") == "https://lon.example/ping");
  CHECK_FALSE(listed["regions"][1].HasMember("ping_url"));
  CHECK(list(at, player_in(1)).body.find("ping_url") == std::string::npos);
}

} // namespace
