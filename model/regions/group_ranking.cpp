#include "model/regions/group_ranking.hpp"

#include "model/regions/measured_latency.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

namespace matchcloud::model {

namespace {

constexpr round_trip_us us_per_ms = 1'000;

/// The sums of a region's figures.
struct column {
  std::int64_t sum_us = 0;
  round_trip_us worst_us = no_round_trip;
  round_trip_us best_us = std::numeric_limits<round_trip_us>::max();
  std::uint32_t region = 0;
  std::uint32_t players_with = 0;

  round_trip_us spread_us() const noexcept { return worst_us - best_us; }
};

bool is_known(std::span<const round_trip_us> row) noexcept {
  return std::ranges::any_of(row, [](auto figure) { return figure != no_round_trip; });
}

void add(std::span<const round_trip_us> row, std::span<column> to) noexcept {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == no_round_trip) continue;
    auto& of = to[i];
    of.sum_us += row[i];
    of.worst_us = std::max(of.worst_us, row[i]);
    of.best_us = std::min(of.best_us, row[i]);
    ++of.players_with;
  }
}

// Regions with figures of more players come first. For equal numbers, sums compare like means.
bool worst_first(const column& a, const column& b) noexcept {
  return std::tuple{b.players_with, a.worst_us, a.sum_us, a.region} <
         std::tuple{a.players_with, b.worst_us, b.sum_us, b.region};
}

bool mean_first(const column& a, const column& b) noexcept {
  return std::tuple{b.players_with, a.sum_us, a.worst_us, a.region} <
         std::tuple{a.players_with, b.sum_us, b.worst_us, b.region};
}

/// `all` is ordered by `worst_first`.
void put_fair_first(std::span<column> all, round_trip_us within_us) {
  for (auto begin = all.begin(); begin != all.end();) {
    const auto limit_us = std::int64_t{begin->worst_us} + within_us;
    const auto players_with = begin->players_with;
    const auto as_many = [&](const column& each) { return each.players_with == players_with; };
    const auto end = std::find_if_not(begin, all.end(), as_many);
    const auto within =
        std::find_if(begin, end, [&](const column& each) { return each.worst_us > limit_us; });
    if (players_with > 0)
      std::stable_sort(begin, within, [](const column& a, const column& b) {
        return a.spread_us() < b.spread_us();
      });
    begin = end;
  }
}

group_region summary_of(const column& of, std::uint32_t known_players) noexcept {
  group_region made{of.region, known_players - of.players_with};
  if (of.players_with == 0) return made;
  made.worst_us = of.worst_us;
  made.mean_us = static_cast<round_trip_us>((of.sum_us + of.players_with / 2) / of.players_with);
  return made;
}

} // namespace

round_trip_us to_round_trip_us(double ms) noexcept {
  return static_cast<round_trip_us>(std::lround(std::clamp(ms, 0.0, latency_limit_ms) * us_per_ms));
}

void append_round_trip_ms(std::string& out, round_trip_us value) {
  if (value == no_round_trip) {
    out += "null";
    return;
  }
  char text[16];
  char* at = std::to_chars(text, text + sizeof text, value / us_per_ms).ptr;
  if (auto rest = value % us_per_ms; rest != 0) {
    *at++ = '.';
    for (auto unit = us_per_ms / 10; rest != 0; rest %= unit, unit /= 10)
      *at++ = static_cast<char>('0' + rest / unit);
  }
  out.append(text, at);
}

group_ranking rank_for_group(std::span<const round_trip_us> figures_us, std::size_t players,
                             group_strategy strategy, round_trip_us fair_within_us) {
  const auto region_count = figures_us.size() / players;
  group_ranking ranked;
  std::vector<column> columns(region_count);
  for (std::uint32_t i = 0; i < region_count; ++i)
    columns[i].region = i;
  for (std::uint32_t i = 0; i < players; ++i) {
    const auto row = figures_us.subspan(i * region_count, region_count);
    if (is_known(row))
      add(row, columns);
    else
      ranked.unknown_players.push_back(i);
  }
  std::ranges::sort(columns, strategy == group_strategy::mean ? mean_first : worst_first);
  if (strategy == group_strategy::fair) put_fair_first(columns, fair_within_us);

  const auto known = static_cast<std::uint32_t>(players - ranked.unknown_players.size());
  ranked.regions.reserve(region_count);
  for (const auto& each : columns)
    ranked.regions.push_back(summary_of(each, known));
  return ranked;
}

} // namespace matchcloud::model
