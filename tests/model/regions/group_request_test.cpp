#include "model/regions/group_ranking.hpp"

#include "tests/catch.hpp"

#include <string>

namespace {

using namespace matchcloud;
using namespace matchcloud::model;

group_request read(std::string_view body) {
  auto made = read_group_request(body);
  INFO(body);
  INFO((made ? std::string{} : made.error().detail));
  REQUIRE(made.has_value());
  return *made;
}

std::string detail_of(std::string_view body, base::errc code = base::errc::query_invalid) {
  const auto made = read_group_request(body);
  INFO(body);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code == code);
  return made.error().detail;
}

void has(const std::string& text, std::string_view part) {
  INFO(text);
  CHECK(text.find(part) != text.npos);
}

std::string players(std::size_t count, const std::string& each) {
  std::string body = R"({"players": [)";
  for (std::size_t i = 0; i < count; ++i)
    body.append(i > 0 ? ", " : "").append(each);
  return body + "]}";
}

TEST_CASE("A group has players by address, coordinates and own latencies") {
  const auto made = read(R"({"players": [
      {"id": "anna", "address": "81.2.69.142"},
      {"coordinates": {"latitude": 51.5, "longitude": -0.1}},
      {"latencies": {"lon": 23.1, "fra": 31}},
      {"id": "", "address": "2001:db8::1", "coordinates": {"longitude": 180, "latitude": -90},
       "latencies": {}},
      {}], "strategy": "fair", "fair_within_ms": 7.5})");
  REQUIRE(made.players.size() == 5);
  CHECK(made.players[0] == group_player{"anna", parse_ip_address("81.2.69.142"), {}, {}});
  CHECK(made.players[1] == group_player{{}, {}, coordinates{51.5, -0.1}, {}});
  CHECK(made.players[2] == group_player{{}, {}, {}, {{"fra", 31}, {"lon", 23.1}}});
  CHECK(made.players[3] ==
        group_player{"", parse_ip_address("2001:db8::1"), coordinates{-90, 180}, {}});
  CHECK(made.players[4] == group_player{});
  CHECK(made.strategy == group_strategy::fair);
  CHECK(made.fair_within_ms == 7.5);
}

TEST_CASE("A group is ranked by the worst player unless it says another strategy") {
  const auto made = read(R"({"players": [{}]})");
  CHECK(made.strategy == group_strategy::worst);
  CHECK(made.fair_within_ms == 20);
  CHECK(read(R"({"players": [{}], "strategy": "mean"})").strategy == group_strategy::mean);
  CHECK(read(R"({"players": [{}], "strategy": "worst"})").strategy == group_strategy::worst);
}

TEST_CASE("Null counts as absent where something is optional") {
  CHECK(read(R"({"players": [{"id": null, "address": null, "coordinates": null,
                              "latencies": null}], "strategy": null, "fair_within_ms": null})") ==
        read(R"({"players": [{}]})"));
  has(detail_of(R"({"players": null})"), "`players` must be an array of 1 to 64 players.");
  has(detail_of(R"({"players": [null]})"), "`players[0]` must be an object such as");
  has(detail_of(R"({"players": [{"coordinates": {"latitude": null, "longitude": 1}}]})"),
      "`players[0].coordinates.latitude` must be a number from -90 to 90.");
}

TEST_CASE("A group has 1 to 64 players with ids of at most 64 bytes") {
  CHECK(read(players(64, R"({"address": "192.0.2.1"})")).players.size() == 64);
  has(detail_of(players(65, "{}")), "`players` must be an array of 1 to 64 players, but has 65.");
  has(detail_of(R"({"players": []})"), "but has 0. A player is an object such as");
  has(detail_of("{}"), "`players` is required, but is absent.");
  CHECK(read(R"({"players": [{"id": ")" + std::string(64, 'x') + "\"}]}").players[0].id->size() ==
        64);
  has(detail_of(R"({"players": [{"id": ")" + std::string(65, 'x') + "\"}]}"),
      "`players[0].id` must be a string of at most 64 bytes, but has 65.");
  has(detail_of(R"({"players": [{"id": 5}]})"),
      "`players[0].id` must be a string of at most 64 bytes. Shorten it, or leave it out.");
}

TEST_CASE("What is wrong with a group is said all at once, with the place of each") {
  const auto detail = detail_of(R"({"players": [
      {"address": "81.2.69.300"},
      {"adress": "81.2.69.142"},
      7,
      {"coordinates": {"latitude": 91, "longitude": "-0.1", "altitude": 3}},
      {"coordinates": [1, 2]},
      {"coordinates": {"latitude": 1}},
      {"latencies": {"SYD": 5, "lon": -1}},
      {"latencies": [5]},
      {"address": "192.0.2.1", "address": "192.0.2.1"}],
      "strategy": "best", "fair_within_ms": 60001, "limit": 5})");
  has(detail, "`players[0].address` must be an IPv4 or IPv6 address, but is `81.2.69.300`.");
  has(detail, "`players[1]` has no member `adress`. Did you mean `address`?");
  has(detail, "`players[2]` must be an object");
  has(detail, "`players[3].coordinates.latitude` must be a number from -90 to 90, but is `91`.");
  has(detail, "`players[3].coordinates.longitude` must be a number from -180 to 180, but is "
              "`-0.1`. Write the number without quotes.");
  has(detail, "`players[3].coordinates` has no member `altitude`.");
  has(detail, "`players[4].coordinates` must be an object such as");
  has(detail, "`players[5].coordinates.longitude` is required, but is absent.");
  has(detail, "`players[6].latencies` has `SYD`, which is not a region id");
  has(detail, "`players[6].latencies` has `lon`, which is `-1`");
  has(detail, "`strategy` cannot be `best`. Allowed: `worst`, `mean`, `fair`.");
  has(detail, "`fair_within_ms` must be a number from 0 to 60000, but is `60001`.");
  has(detail, "The body has no member `limit`.");

  has(detail_of(R"({"players": [{"address": "192.0.2.1", "address": "192.0.2.1"}]})"),
      "`players[0]` has the member `address` more than once.");
  has(detail_of(R"({"players": [{"latencies": [5]}]})"),
      "`players[0].latencies` must be an object");
  has(detail_of(R"({"players": [{}], "strategy": 1})"), "`strategy` must be a string. Allowed: ");
  has(detail_of(R"({"players": [{}], "strategy": "Worst"})"), "Did you mean `worst`?");
}

TEST_CASE("Bodies that are no JSON object are refused as elsewhere") {
  detail_of("", base::errc::body_malformed);
  detail_of("[{}]", base::errc::body_not_object);
  detail_of(R"({"players": [[[[[[[[]]]]]]]]})", base::errc::body_too_deep);
}

TEST_CASE("Details about a group stay short") {
  auto body = players(64, R"({"address": ")" + std::string(500, 'x') + "\"}");
  auto detail = detail_of(body);
  CHECK(detail.size() < 2'048);
  has(detail, "` were not checked.");

  std::string latencies;
  for (int i = 0; i < 200; ++i)
    latencies += (i > 0 ? ", \"R" : "\"R") + std::to_string(i) + std::string(40, 'x') + "\": 1";
  body = players(64, R"({"latencies": {)" + latencies + "}}");
  CHECK(detail_of(body).size() < 4'096);
}

TEST_CASE("A player has at most 256 latencies") {
  const auto with = [](int count) {
    std::string latencies;
    for (int i = 0; i < count; ++i)
      latencies += (i > 0 ? ", \"r" : "\"r") + std::to_string(i) + "\": 1";
    return players(1, R"({"latencies": {)" + latencies + "}}");
  };
  CHECK(read(with(256)).players[0].latencies.size() == 256);
  has(detail_of(with(257)), "`players[0].latencies` has 257 regions");
}

} // namespace
