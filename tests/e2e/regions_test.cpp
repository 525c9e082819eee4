// The listing of regions: order, client address, namespace, CORS.
#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/shared_servers.hpp"

#include <GeographicLib/Geodesic.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace matchcloud::e2e;
using names = std::vector<std::string>;

std::vector<std::string> region_ids(const answer& listed) {
  REQUIRE(listed.status == 200);
  const auto document = parse_json(listed.body);
  REQUIRE(document.IsObject());
  std::vector<std::string> ids;
  for (const auto& region : document["regions"].GetArray())
    ids.push_back(text_at(region, "region_id"));
  return ids;
}

answer list(const address& to, std::string_view headers = {},
            const std::string& target = regions_target) {
  raw_connection client{to};
  return client.ask(request("GET", target, {}, headers));
}

struct place {
  double latitude;
  double longitude;
};

/// Checks that every distance is the WGS-84 geodesic from `client`, that distances ascend, and that
/// both units agree.
void check_distances(const answer& listed, place client) {
  const auto document = parse_json(listed.body);
  REQUIRE(document.IsObject());
  double last = -1;
  for (const auto& region : document["regions"].GetArray()) {
    CHECK(member_names(region) == names{"region_id", "region_display_name", "provider_display_name",
                                        "datacenter_coord", "datacenter_distance_from_client"});
    const auto& at = region["datacenter_coord"];
    const auto& far = region["datacenter_distance_from_client"];
    double metres = 0;
    GeographicLib::Geodesic::WGS84().Inverse(client.latitude, client.longitude,
                                             at["latitude"].GetDouble(),
                                             at["longitude"].GetDouble(), metres);
    INFO(text_at(region, "region_id"));
    CHECK(far["kilometers"].GetDouble() == Approx(metres / 1000).margin(0.001));
    CHECK(far["miles"].GetDouble() == Approx(metres / 1609.344).margin(0.001));
    CHECK(metres > last);
    last = metres;
  }
}

TEST_CASE("regions are ordered by their true distance from the client", "[operations][shipped]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto& to = located_server(transport).data();
  const auto from_london = list(to, "X-Forwarded-For: 192.0.2.7\r\n");
  CHECK(from_london.header("content-type") == "application/json");
  const auto order = region_ids(from_london);
  REQUIRE(order.size() == 12);
  CHECK(order.front() == "lon");
  CHECK(order.back() == "syd");
  check_distances(from_london, {51.5074, -0.1278});

  const auto from_tokyo = list(to, "X-Forwarded-For: 198.51.100.1\r\n");
  CHECK(region_ids(from_tokyo).front() == "nrt");
  check_distances(from_tokyo, {35.6762, 139.6503});
}

TEST_CASE("an IPv6 client is located", "[operations]") {
  const auto& to = located_server().data();
  CHECK(region_ids(list(to, "X-Forwarded-For: 2001:db8::1\r\n")).front() == "lon");
  CHECK(region_ids(list(to, "Forwarded: for=\"[2001:db8::1]:4711\"\r\n")).front() == "lon");
}

TEST_CASE("without forwarding headers the peer is the client", "[operations]") {
  CHECK(region_ids(list(located_server().data())).front() == "syd");
}

TEST_CASE("forwarding headers of a peer that is no trusted proxy are ignored", "[operations]") {
  raw_connection untrusted{located_server().data(), "127.0.0.2"};
  const auto listed = untrusted.ask(request("GET", regions_target, {},
                                            "X-Forwarded-For: 192.0.2.7\r\n"
                                            "Forwarded: for=192.0.2.7\r\n"));
  CHECK(region_ids(listed).front() == "syd");
  check_distances(listed, {-33.8688, 151.2093});
}

TEST_CASE("the address right of what a client can forge counts", "[operations]") {
  const auto& to = located_server().data();
  CHECK(region_ids(list(to, "X-Forwarded-For: 192.0.2.7, 198.51.100.1\r\n")).front() == "nrt");
  CHECK(region_ids(list(to, "X-Forwarded-For: 192.0.2.7, 198.51.100.1, 127.0.0.1\r\n")).front() ==
        "nrt");
  // The two headers disagree, so the peer's address is used.
  CHECK(region_ids(list(to, "X-Forwarded-For: 192.0.2.7\r\nForwarded: for=198.51.100.1\r\n"))
            .front() == "syd");
}

TEST_CASE("without GeoIP all distances are zero and the order is that of the ids", "[operations]") {
  const auto listed = list(plain_server().data());
  const auto ids = region_ids(listed);
  CHECK(ids.size() == 12);
  CHECK(std::is_sorted(ids.begin(), ids.end()));
  const auto document = parse_json(listed.body);
  for (const auto& region : document["regions"].GetArray()) {
    CHECK(std::abs(region["datacenter_distance_from_client"]["kilometers"].GetDouble()) == 0);
    CHECK(std::abs(region["datacenter_distance_from_client"]["miles"].GetDouble()) == 0);
  }
}

TEST_CASE("a client of unknown location stands at the fallback location", "[operations]") {
  const auto listed = list(configured_server().data(), {}, "/mm/matchmaker/regions");
  check_distances(listed, {35, 139});
  CHECK(region_ids(listed).front() == "nrt");
}

TEST_CASE("the Origin's namespace decides which regions are listed", "[operations]") {
  const auto& to = plain_server().data();
  const names eu{"fra", "lon"};
  CHECK(region_ids(list(to, "Origin: https://eu.second.example\r\n")) == eu);
  CHECK(region_ids(list(to, "Origin: http://EU.second.example:8443\r\n")) == eu);
  CHECK(region_ids(list(to, "Origin: https://demo-game.example\r\n")).size() == 12);
  CHECK(region_ids(list(to, "Origin: https://second.example\r\n")).size() == 12);
  CHECK(region_ids(list(to, "Origin: null\r\n")).size() == 12);
}

TEST_CASE("any page may read the listing unless origins are configured", "[operations]") {
  const auto& to = plain_server().data();
  CHECK(list(to).header("access-control-allow-origin") == "*");
  CHECK(list(to, "Origin: https://a.example\r\n").header("access-control-allow-origin") == "*");
}

TEST_CASE("configured origins may read the listing, others not", "[operations]") {
  const auto& to = configured_server().data();
  const auto ask = [&](const std::string& headers) {
    return list(to, headers, "/mm/matchmaker/regions");
  };
  for (const std::string origin : {"https://play.example", "http://localhost:3000"}) {
    const auto allowed = ask("Origin: " + origin + "\r\n");
    CHECK(allowed.status == 200);
    CHECK(allowed.header("access-control-allow-origin") == origin);
    CHECK(allowed.header("vary") == "Accept-Encoding, Origin");
  }
  for (const std::string origin : {"https://evil.example", "http://play.example"}) {
    const auto denied = ask("Origin: " + origin + "\r\n");
    CHECK(denied.status == 200);
    CHECK(denied.header("access-control-allow-origin").empty());
    CHECK(denied.header("vary") == "Accept-Encoding, Origin");
  }
}

TEST_CASE("a listing with rtt is for its client to keep, as any other, and never compressed",
          "[operations]") {
  raw_connection client{plain_server().data()};
  const auto plain = client.ask(request("GET", regions_target, {}, "Accept-Encoding: gzip\r\n"));
  const auto target = regions_target + "?rtt=lon:9.5,iad:71";
  const auto ordered = client.ask(request("GET", target, {}, "Accept-Encoding: gzip\r\n"));
  CHECK(plain.header("content-encoding") == "gzip");
  CHECK(ordered.header("content-encoding").empty());
  for (const std::string name : {"cache-control", "vary"})
    CHECK(ordered.header(name) == plain.header(name));
  const auto etag = ordered.header("etag");
  CHECK(etag != plain.header("etag"));
  CHECK(client.ask(request("GET", target, {}, "If-None-Match: " + etag + "\r\n")).status == 304);
  CHECK(client.ask(request("GET", regions_target, {}, "If-None-Match: " + etag + "\r\n")).status ==
        200);
}

TEST_CASE("a preflight says what a page may do", "[operations]") {
  raw_connection client{configured_server().data()};
  const auto preflight = [&](const std::string& origin) {
    return client.ask(request("OPTIONS", "/mm/matchmaker/regions", {},
                              "Origin: " + origin + "\r\nAccess-Control-Request-Method: GET\r\n"));
  };
  const auto allowed = preflight("https://play.example");
  CHECK(allowed.status == 204);
  CHECK(allowed.body.empty());
  CHECK(allowed.header("access-control-allow-origin") == "https://play.example");
  CHECK(allowed.header("access-control-allow-methods") == "GET, HEAD");
  for (const std::string name : {"Authorization", "If-None-Match", "X-Request-Id", "traceparent",
                                 "tracestate", "baggage", "sentry-trace"})
    CHECK(allowed.header("access-control-allow-headers").find(name) != std::string::npos);
  CHECK(allowed.header("access-control-max-age") == "86400");
  CHECK(allowed.header("allow") == "GET, HEAD, OPTIONS");
  const auto denied = preflight("https://evil.example");
  CHECK(denied.status == 204);
  CHECK(denied.header("access-control-allow-origin").empty());
  CHECK(denied.header("access-control-allow-methods").empty());
}

TEST_CASE("HEAD answers like GET without the body", "[operations]") {
  raw_connection client{plain_server().data()};
  const auto whole = client.ask(request("GET", regions_target));
  const auto head = client.ask(request("HEAD", regions_target));
  CHECK(head.status == 200);
  CHECK(head.header("content-length") == std::to_string(whole.body.size()));
  CHECK(head.header("content-type") == "application/json");
  // The next answer begins where a body would be.
  CHECK(client.ask(request("GET", regions_target)).body == whole.body);
}

TEST_CASE("a client that takes gzip gets the same listing compressed", "[operations][shipped]") {
  const auto& to = located_server().data();
  const std::string london = "X-Forwarded-For: 192.0.2.7\r\n";
  const auto plain = list(to, london);
  const auto gzip = list(to, london + "Accept-Encoding: gzip, deflate, br\r\n");
  CHECK(plain.header("content-encoding").empty());
  CHECK(gzip.header("content-encoding") == "gzip");
  CHECK(gzip.header("content-type") == "application/json");
  CHECK(gzip.body.size() * 3 < plain.body.size());
  CHECK(matchcloud::fixtures::inflated(gzip.body) == plain.body);
  CHECK(gzip.header("etag") != plain.header("etag"));
  for (const auto& each : {plain, gzip}) {
    CHECK(each.header("cache-control") == "private, max-age=60");
    CHECK(each.header("vary") == "Accept-Encoding, Origin");
  }
  // The second is kept, and the third gets what was kept.
  for (int i = 0; i < 2; ++i) {
    const auto again = list(to, london + "Accept-Encoding: gzip\r\n");
    CHECK(again.header("content-encoding") == "gzip");
    CHECK(again.header("etag") == gzip.header("etag"));
    CHECK(again.body == gzip.body);
  }
  raw_connection client{to};
  const auto head = client.ask(
      request("HEAD", regions_target, {}, london + "Accept-Encoding: gzip, deflate, br\r\n"));
  CHECK(head.header("content-length") == std::to_string(gzip.body.size()));
}

TEST_CASE("who has the listing is told so, until it says something else", "[operations]") {
  const auto& to = located_server().data();
  const std::string london = "X-Forwarded-For: 192.0.2.7\r\n";
  for (const std::string coding : {"", "Accept-Encoding: gzip\r\n"}) {
    const auto first = list(to, london + coding);
    const auto tag = first.header("etag");
    REQUIRE(tag.size() > 4);
    const std::string having = "If-None-Match: " + tag + "\r\n";
    const auto again = list(to, london + coding + having);
    CHECK(again.status == 304);
    CHECK(again.body.empty());
    CHECK(again.header("etag") == tag);
    CHECK(again.header("cache-control") == "private, max-age=60");
    CHECK(again.header("vary") == "Accept-Encoding, Origin");
    CHECK(again.header("access-control-allow-origin") == "*");
    // Another location nearby has the same order but other distances.
    CHECK(list(to, "X-Forwarded-For: 198.51.100.1\r\n" + coding + having).status == 200);
    CHECK(list(to, london + coding + "If-None-Match: W/\"x\", " + tag + "\r\n").status == 304);
    CHECK(list(to, london + coding + "If-None-Match: \"x\"\r\n").status == 200);
  }
}

TEST_CASE("regions that the client measured come first", "[operations]") {
  const auto& to = located_server().data();
  const std::string london = "X-Forwarded-For: 192.0.2.7\r\n";
  const auto by_distance = list(to, london);
  auto expected = region_ids(by_distance);
  const auto by = [&](const std::string& query) {
    return list(to, london, regions_target + "?" + query);
  };
  for (const auto* nothing : {"", "rtt=", "x=1", "rtt=nowhere:1", "rtt=syd:0", "rtt=nrt:5,syd:0.0"})
    CHECK(by(nothing).body == by_distance.body);
  const auto measured = by("rtt=syd:255.5,nrt:253,nowhere:1");
  std::erase_if(expected, [](const auto& id) { return id == "syd" || id == "nrt"; });
  expected.insert(expected.begin(), {"nrt", "syd"});
  CHECK(region_ids(measured) == expected);
  CHECK(measured.header("etag") != by_distance.header("etag"));
  CHECK(by("rtt=syd%3A255.5%2Cnrt%3A253").body == measured.body);
  const auto to_gzip =
      list(to, london + "Accept-Encoding: gzip\r\n", regions_target + "?rtt=syd:255.5,nrt:253");
  CHECK(to_gzip.header("content-encoding").empty());
  CHECK(to_gzip.body == measured.body);
  CHECK(list(to, london + "If-None-Match: " + measured.header("etag") + "\r\n",
             regions_target + "?rtt=syd:257,nrt:253")
            .status == 304);
  for (const auto* bad : {"rtt=lon", "rtt=lon:x", "rtt=lon:-1", "rtt=lon:1,lon:2", "rtt=lon:1,",
                          "rtt=lon:1&rtt=fra:1", "rtt=lon:99999999"}) {
    INFO(bad);
    const auto refused = by(bad);
    CHECK(refused.status == 400);
    CHECK(refused.problem_code() == "query_invalid");
    CHECK(refused.header("access-control-allow-origin") == "*");
  }
}

TEST_CASE("a group of one has the order of its listing, and each member its own figures",
          "[operations][shipped]") {
  const auto transport = GENERATE("loops", "httplib");
  const auto& to = located_server(transport).data();
  const auto ask = [&](const std::string& body) {
    raw_connection client{to};
    return client.ask(request("POST", regions_target + "/group", body));
  };
  const auto from_london = list(to, "X-Forwarded-For: 192.0.2.7\r\n");
  for (const std::string strategy : {"worst", "mean", "fair"})
    CHECK(region_ids(ask(R"({"players": [{"address": "192.0.2.7"}], "strategy": ")" + strategy +
                         "\"}")) == region_ids(from_london));

  // London and Tokyo, and one who measured.
  const auto together = ask(R"({"players": [{"address": "192.0.2.7"}, {"address": "198.51.100.1"},
                                            {"id": "anna", "latencies": {"lon": 5.25}}]})");
  CHECK(region_ids(together).front() == "lon"); // that all have figures for
  const auto document = parse_json(together.body);
  CHECK(document["regions"][0]["players"][2].GetDouble() == 5.25);
  CHECK(document["regions"][1]["players"][2].IsNull());
  CHECK(document["unknown_players"].Empty());
  CHECK(text_at(document["regions"][0], "region_id") == "lon");
  CHECK(std::string{document["player_ids"][2].GetString()} == "anna");

  const auto wrong = ask(R"({"players": [{"coordinates": {"latitude": 91, "longitude": 0}}]})");
  CHECK(wrong.problem_code() == "query_invalid");
  CHECK(wrong.body.find("`players[0].coordinates.latitude` must be a number from -90 to 90") !=
        std::string::npos);
}

TEST_CASE("a ping has no body, for any page and either method", "[operations]") {
  raw_connection client{plain_server().data()};
  for (const std::string method : {"GET", "HEAD", "GET"}) {
    const auto pong = client.ask(request(method, "/ping", {}, "Origin: https://a.example\r\n"));
    CHECK(pong.status == 204);
    CHECK(pong.body.empty());
    CHECK(pong.header("content-length").empty());
    CHECK(pong.header("access-control-allow-origin") == "*");
    CHECK(pong.header("timing-allow-origin") == "*");
    CHECK(pong.header("cache-control") == "no-store");
  }
  raw_connection other{configured_server().data()};
  CHECK(other.ask(request("GET", "/mm/ping", {}, "Origin: https://a.example\r\n"))
            .header("access-control-allow-origin") == "*");
}

} // namespace
