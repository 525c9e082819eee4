#include "model/regions/group_ranking.hpp"

#include "tests/catch.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace matchcloud::model;

using row = std::vector<round_trip_us>;

std::vector<std::uint32_t> order_of(const group_ranking& ranked) {
  std::vector<std::uint32_t> order;
  for (const auto& each : ranked.regions)
    order.push_back(each.region);
  return order;
}

group_ranking rank(const std::vector<row>& players, group_strategy strategy,
                   round_trip_us fair_within_us = 0) {
  row all;
  for (const auto& each : players)
    all.insert(all.end(), each.begin(), each.end());
  return rank_for_group(all, players.size(), strategy, fair_within_us);
}

std::vector<std::uint32_t> order(const std::vector<row>& players, group_strategy strategy,
                                 round_trip_us fair_within_us = 0) {
  return order_of(rank(players, strategy, fair_within_us));
}

using regions = std::vector<std::uint32_t>;
constexpr auto none = no_round_trip;

TEST_CASE("Fair takes the least spread among regions whose worst player is near the least worst") {
  // Spreads 90, 40, 0, 10; worst 100, 110, 120, 131.
  const std::vector<row> players{{10, 70, 120, 121}, {100, 110, 120, 131}};
  CHECK(order(players, group_strategy::fair, 0) == regions{0, 1, 2, 3});
  CHECK(order(players, group_strategy::fair, 10) == regions{1, 0, 2, 3});
  CHECK(order(players, group_strategy::fair, 20) == regions{2, 1, 0, 3});
  CHECK(order(players, group_strategy::fair, 31) == regions{2, 3, 1, 0});
  CHECK(order({{10, 11}, {20, 21}}, group_strategy::fair, 5) == regions{0, 1});
}

TEST_CASE("A region for which known players have no figure comes after those with all") {
  const std::vector<row> players{{none, 500, 5, none}, {1, 500, none, none}, {1, 500, none, none}};
  for (const auto strategy : {group_strategy::worst, group_strategy::mean, group_strategy::fair}) {
    const auto ranked = rank(players, strategy, 1'000);
    CHECK(order_of(ranked) == regions{1, 0, 2, 3});
    CHECK(ranked.regions[0] == group_region{1, 0, 500, 500});
    CHECK(ranked.regions[1] == group_region{0, 1, 1, 1});
    CHECK(ranked.regions[2] == group_region{2, 2, 5, 5});
    CHECK(ranked.regions[3] == group_region{3, 3, none, none});
    CHECK(ranked.unknown_players.empty());
  }
}

TEST_CASE("Players of whom nothing is known do not count") {
  const auto ranked = rank({{none, none}, {20, 10}, {none, none}}, group_strategy::worst);
  CHECK(order_of(ranked) == regions{1, 0});
  CHECK(ranked.regions[0] == group_region{1, 0, 10, 10});
  CHECK(ranked.unknown_players == std::vector<std::uint32_t>{0, 2});

  const auto nobody = rank({{none, none}}, group_strategy::fair, 5);
  CHECK(order_of(nobody) == regions{0, 1});
  CHECK(nobody.regions[0] == group_region{0, 0, none, none});
  CHECK(nobody.unknown_players == std::vector<std::uint32_t>{0});
  CHECK(rank({{}, {}}, group_strategy::mean).unknown_players == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("A mean is rounded half up to a microsecond") {
  CHECK(rank({{1}, {2}}, group_strategy::mean).regions[0].mean_us == 2);
  CHECK(rank({{1}, {1}, {2}}, group_strategy::mean).regions[0].mean_us == 1);
  CHECK(rank({{60'000'000}, {60'000'000}}, group_strategy::mean).regions[0].mean_us == 60'000'000);
}

TEST_CASE("Round trips are microseconds, and are printed as milliseconds") {
  const auto printed = [](double ms) {
    std::string text;
    append_round_trip_ms(text, to_round_trip_us(ms));
    return text;
  };
  CHECK(printed(0) == "0");
  CHECK(printed(23.1) == "23.1");
  CHECK(printed(0.0504) == "0.05");
  CHECK(printed(7.0005) == "7.001");
  CHECK(printed(-1) == "0");
  CHECK(printed(1e9) == "60000");
  std::string text;
  append_round_trip_ms(text, no_round_trip);
  CHECK(text == "null");
  REQUIRE(rc::check([] {
    const auto value = *rc::gen::inRange<round_trip_us>(0, 60'000'001);
    std::string shown;
    append_round_trip_ms(shown, value);
    RC_ASSERT(to_round_trip_us(std::stod(shown)) == value);
    RC_ASSERT(shown.find('.') == std::string::npos || shown.back() != '0');
  }));
}

/// A region as the definitions have it, reckoned one by one.
struct by_definition {
  std::size_t without = 0;
  std::optional<round_trip_us> worst;
  std::optional<round_trip_us> best;
  std::int64_t sum = 0;
};

by_definition reckon(const std::vector<row>& known, std::size_t region) {
  by_definition made;
  for (const auto& player : known) {
    const auto figure = player[region];
    if (figure == none) {
      ++made.without;
      continue;
    }
    made.worst = std::max(made.worst.value_or(figure), figure);
    made.best = std::min(made.best.value_or(figure), figure);
    made.sum += figure;
  }
  return made;
}

/// Whether `a` comes before `b`, as docs/interface.md says, worked out for each two regions alone.
bool comes_before(std::size_t a, std::size_t b, const std::vector<by_definition>& all,
                  group_strategy strategy, round_trip_us within) {
  const auto& x = all[a];
  const auto& y = all[b];
  if (x.without != y.without) return x.without < y.without;
  if (!x.worst) return a < b;
  if (strategy == group_strategy::mean) {
    if (x.sum != y.sum) return x.sum < y.sum;
    if (x.worst != y.worst) return x.worst < y.worst;
    return a < b;
  }
  if (strategy == group_strategy::fair) {
    auto least = *x.worst;
    for (const auto& each : all)
      if (each.without == x.without && each.worst) least = std::min(least, *each.worst);
    const bool is_fair_x = *x.worst - least <= within;
    const bool is_fair_y = *y.worst - least <= within;
    if (is_fair_x != is_fair_y) return is_fair_x;
    const auto spread_x = *x.worst - *x.best;
    const auto spread_y = *y.worst - *y.best;
    if (is_fair_x && spread_x != spread_y) return spread_x < spread_y;
  }
  if (x.worst != y.worst) return x.worst < y.worst;
  if (x.sum != y.sum) return x.sum < y.sum;
  return a < b;
}

/// A group whose figures are often equal, and sometimes absent.
std::vector<row> any_group() {
  const auto players = *rc::gen::inRange<std::size_t>(1, 65);
  const auto region_count = *rc::gen::inRange<std::size_t>(0, 30);
  const auto highest = *rc::gen::element<round_trip_us>(1, 7, 99, 60'000'000);
  const auto absent_percent = *rc::gen::element(0, 5, 50, 95);
  // Drawn without rapidcheck, which would take a second for all these figures.
  std::mt19937 random{*rc::gen::arbitrary<std::uint32_t>()};
  std::uniform_int_distribution<round_trip_us> figure{0, highest};
  std::uniform_int_distribution<int> percent{0, 99};
  std::vector<row> group;
  for (std::size_t i = 0; i < players; ++i) {
    row figures;
    for (std::size_t k = 0; k < region_count; ++k)
      figures.push_back(percent(random) < absent_percent ? none : figure(random));
    group.push_back(std::move(figures));
  }
  return group;
}

void check_by_brute_force(const std::vector<row>& group, group_strategy strategy,
                          round_trip_us within) {
  const auto ranked = rank(group, strategy, within);
  std::vector<row> known;
  std::vector<std::uint32_t> unknown;
  for (std::uint32_t i = 0; i < group.size(); ++i)
    if (std::ranges::all_of(group[i], [](auto figure) { return figure == none; }))
      unknown.push_back(i);
    else
      known.push_back(group[i]);
  RC_ASSERT(ranked.unknown_players == unknown);

  std::vector<by_definition> all;
  for (std::size_t k = 0; k < group.front().size(); ++k)
    all.push_back(reckon(known, k));
  // Of each region, count those that come before it.
  RC_ASSERT(ranked.regions.size() == all.size());
  for (std::size_t place = 0; place < ranked.regions.size(); ++place) {
    const auto& got = ranked.regions[place];
    const auto& of = all.at(got.region);
    std::size_t before = 0;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (k != got.region && comes_before(k, got.region, all, strategy, within)) ++before;
    RC_ASSERT(before == place);
    RC_ASSERT(got.players_without == of.without);
    RC_ASSERT(got.worst_us == of.worst.value_or(none));
    if (!of.worst) {
      RC_ASSERT(got.mean_us == none);
      continue;
    }
    const auto counted = static_cast<std::int64_t>(known.size() - of.without);
    RC_ASSERT(std::abs(2 * (got.mean_us * counted - of.sum)) <= counted);
  }
}

TEST_CASE("A group's ranking is that of brute force") {
  REQUIRE(rc::check("for every strategy and shape", [] {
    const auto group = any_group();
    const auto within = *rc::gen::element<round_trip_us>(0, 1, 5, 1'000, 60'000'000);
    for (const auto strategy : {group_strategy::worst, group_strategy::mean, group_strategy::fair})
      check_by_brute_force(group, strategy, within);
  }));
}

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
