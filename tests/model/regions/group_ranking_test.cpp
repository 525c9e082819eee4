#include "model/regions/group_ranking.hpp"

#include "tests/catch.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
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

TEST_CASE("A group's regions are ordered by the worst player, then the mean, then id") {
  CHECK(order({{10, 50, 30}, {90, 50, 30}}, group_strategy::worst) == regions{2, 1, 0});
  CHECK(order({{50, 50, 40}, {10, 20, 50}}, group_strategy::worst) == regions{0, 1, 2});
  CHECK(order({{50, 50, 50}}, group_strategy::worst) == regions{0, 1, 2});
}

TEST_CASE("A group's regions are ordered by the mean, then the worst player, then id") {
  CHECK(order({{0, 40, 30}, {90, 60, 50}}, group_strategy::mean) == regions{2, 0, 1});
  CHECK(order({{10, 20}, {30, 20}}, group_strategy::mean) == regions{1, 0});
  CHECK(order({{20, 20}, {20, 20}}, group_strategy::mean) == regions{0, 1});
}

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

} // namespace
