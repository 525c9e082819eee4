// The listing of regions: order, client address, namespace. The cases of addresses are in
// tests/http/wire/client_address_test.cpp and proxy_header_test.cpp.
#include "tests/catch.hpp"
#include "tests/fixtures/inflated.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/fixtures/proxy_header_bytes.hpp"
#include "tests/service/server.hpp"

#include <GeographicLib/Geodesic.hpp>

#include <string>
#include <vector>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::proxy_v2;
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

TEST_CASE("a client of unknown location stands at the fallback location", "[operations]") {
  const auto listed = list(configured_server().data(), {}, "/mm/matchmaker/regions");
  check_distances(listed, {35, 139});
  CHECK(region_ids(listed).front() == "nrt");
  const auto origin = [](const std::string& of) {
    return list(configured_server().data(), "Origin: " + of + "\r\n", "/mm/matchmaker/regions")
        .header("access-control-allow-origin");
  };
  CHECK(origin("https://play.example") == "https://play.example");
  CHECK(origin("https://evil.example").empty());
}

TEST_CASE("the Origin's namespace decides which regions are listed", "[operations]") {
  const auto& to = plain_server().data();
  const names eu{"fra", "lon"};
  CHECK(region_ids(list(to, "Origin: https://eu.second.example\r\n")) == eu);
  CHECK(region_ids(list(to, "Origin: http://EU.second.example:8443\r\n")) == eu);
  CHECK(region_ids(list(to, "Origin: https://demo-game.example\r\n")).size() == 12);
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

TEST_CASE("a client that has the listing gets 304 until it changes", "[operations]") {
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
  const auto measured = by("rtt=syd:255.5,nrt:253,nowhere:1");
  std::erase_if(expected, [](const auto& id) { return id == "syd" || id == "nrt"; });
  expected.insert(expected.begin(), {"nrt", "syd"});
  CHECK(region_ids(measured) == expected);
  CHECK(measured.header("etag") != by_distance.header("etag"));
  CHECK(by("rtt=lon:1,lon:2").problem_code() == "query_invalid");
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

// -- the client's address -----------------------------------------------------

/// The nearest region in the answer to a client at `from` that sends `bytes`, which end in one
/// request. This machine's address is in Sydney.
std::string nearest_to(const address& to, std::string_view bytes,
                       const std::string& from = "127.0.0.1") {
  raw_connection client{to, from};
  return region_ids(client.ask(bytes)).front();
}

std::string listing_request(std::string_view headers = {}) {
  return request("GET", regions_target, {}, headers);
}

/// Headers from which some service takes a client's address.
std::vector<std::string> claims_of(const std::string& address) {
  std::vector<std::string> lines;
  for (const std::string name :
       {"X-Forwarded-For", "x-forwarded-for", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP",
        "X-Client-IP", "X-Cluster-Client-IP", "Fastly-Client-IP", "Forwarded-For", "PROXY"})
    lines.push_back(name + ": " + address + "\r\n");
  lines.push_back("Forwarded: for=" + address + "\r\n");
  lines.push_back("FORWARDED: For=\"" + address + ":80\";by=127.0.0.1\r\n");
  lines.push_back("Via: 1.1 " + address + "\r\n");
  lines.push_back("X-Forwarded-For: " + address + "\r\nX-Forwarded-For: " + address + "\r\n");
  lines.push_back("X-Forwarded-For: " + address + ", 127.0.0.1\r\nForwarded: for=" + address +
                  ", for=127.0.0.1\r\n");
  return lines;
}

TEST_CASE("no header of a client that is not behind a trusted proxy changes its address",
          "[operations]") {
  for (const auto& claim : claims_of("192.0.2.7")) {
    INFO(claim);
    CHECK(nearest_to(located_server().data(), listing_request(claim), "127.0.0.2") == "syd");
  }
}

TEST_CASE("behind a trusted proxy only the address that it added counts", "[operations]") {
  const auto& to = located_server().data();
  for (const std::string header :
       {"X-Forwarded-For: 192.0.2.7, 198.51.100.1", "Forwarded: for=192.0.2.7, for=198.51.100.1",
        "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-For: 198.51.100.1, 127.0.0.1",
        "X-Real-IP: 192.0.2.7\r\nX-Forwarded-For: [::ffff:198.51.100.1]:4711"}) {
    INFO(header);
    CHECK(nearest_to(to, listing_request(header + "\r\n")) == "nrt");
  }
  CHECK(nearest_to(to, listing_request("Forwarded: for=\"[2001:db8::1]:4711\"\r\n")) == "lon");
  // The two headers disagree, so the peer's address is used.
  CHECK(nearest_to(to, listing_request("X-Forwarded-For: 192.0.2.7\r\n"
                                       "Forwarded: for=198.51.100.1\r\n")) == "syd");
}

TEST_CASE("a PROXY header names the client where a trusted proxy sends it", "[operations]") {
  const server of{{"--geoip", shared_world().geoip(), "--loops", "2", "--trusted-proxies",
                   "127.0.0.1,203.0.113.0/24", "--listen", "127.0.0.1:0/proxy"}};
  const auto& to = of.data();
  const auto line_from = [](const std::string& source) {
    return "PROXY TCP4 " + source + " 10.0.0.1 56324 443\r\n";
  };
  const auto claim = listing_request("X-Forwarded-For: 192.0.2.7\r\n");
  CHECK(nearest_to(to, line_from("198.51.100.1") + claim) == "nrt");
  CHECK(nearest_to(to, proxy_v2("2001:db8::1", "::1") + listing_request()) == "lon");
  CHECK(nearest_to(to, "PROXY UNKNOWN\r\n" + claim) == "syd");
  // A header behind it counts where it names a trusted proxy, and a trusted proxy sends it.
  CHECK(nearest_to(to, line_from("203.0.113.1") + claim) == "lon");
  CHECK(nearest_to(to, line_from("203.0.113.1") + claim, "127.0.0.2") == "syd");
  CHECK(nearest_to(to, line_from("192.0.2.7") + listing_request(), "127.0.0.2") == "syd");
  raw_connection without{to};
  const auto refused = without.ask(listing_request());
  CHECK(refused.status == 400);
  CHECK(refused.body.find("expects a PROXY protocol header") != std::string::npos);
}

} // namespace
