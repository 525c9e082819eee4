#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/ip_address.hpp"
#include "model/regions/measured_latency.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

/// How regions are ordered for a group of players. docs/interface.md has the definitions.
enum class group_strategy : std::uint8_t { worst, mean, fair };
inline constexpr std::array<std::string_view, 3> group_strategy_names{"worst", "mean", "fair"};

/// A round trip in microseconds: whole numbers, so that sums are exact and equal figures equal.
using round_trip_us = std::int32_t;
/// The round trip between a player and a region if it is not known.
inline constexpr round_trip_us no_round_trip = -1;

/// The nearest number of microseconds. `ms`: 0 to `latency_limit_ms`; values outside count as the
/// nearest limit.
round_trip_us to_round_trip_us(double ms) noexcept;
/// Appends milliseconds as a JSON number with at most three decimals; `null` for no round trip.
void append_round_trip_ms(std::string& out, round_trip_us value);

/// The figures of a region for a group.
struct group_region {
  /// The column of the figures.
  std::uint32_t region = 0;
  /// Known players without a figure for the region.
  std::uint32_t players_without = 0;
  /// Of the known players with a figure; `no_round_trip` if there are none.
  round_trip_us worst_us = no_round_trip;
  round_trip_us mean_us = no_round_trip;

  friend bool operator==(const group_region&, const group_region&) = default;
};

struct group_ranking {
  /// All regions, best first.
  std::vector<group_region> regions;
  /// The players without a figure for any region, who do not count, in ascending order.
  std::vector<std::uint32_t> unknown_players;
};

/// Orders regions for a group. `figures_us` has a row for each of the `players` (at least 1), one
/// after the other, with a figure for each region; the columns must be in ascending order of the
/// regions' ids, which decide ties. `fair_within_us` counts for `group_strategy::fair` alone. Pure;
/// any thread. Some nanoseconds per figure.
group_ranking rank_for_group(std::span<const round_trip_us> figures_us, std::size_t players,
                             group_strategy strategy, round_trip_us fair_within_us);

/// The most players of a group.
inline constexpr std::size_t group_limit = 64;
/// The longest `id` of a player, in bytes of UTF-8.
inline constexpr std::size_t player_id_limit_bytes = 64;
/// `fair_within_ms` of a request without it.
inline constexpr double fair_within_default_ms = 20;

/// A player of a group. Everything that is not known is absent, possibly all members.
struct group_player {
  /// The client's name for the player.
  std::optional<std::string> id = {};
  std::optional<ip_address> address = {};
  /// Takes precedence over the location of the address.
  std::optional<coordinates> where = {};
  /// In ascending order of id. They take precedence over the location.
  std::vector<measured_latency> latencies = {};

  friend bool operator==(const group_player&, const group_player&) = default;
};

/// A request for the order in which regions suit a group.
struct group_request {
  /// 1 to `group_limit`.
  std::vector<group_player> players;
  group_strategy strategy = group_strategy::worst;
  /// 0 to `latency_limit_ms`; counts for `group_strategy::fair` alone.
  double fair_within_ms = fair_within_default_ms;

  friend bool operator==(const group_request&, const group_request&) = default;
};

/// Reads the body of a request: an object with `players` and, optionally, `strategy` and
/// `fair_within_ms`. Null counts as absent where something is optional. Fails with
/// `body_malformed`, `body_too_deep`, `body_not_object`, or with `query_invalid`, whose detail
/// names what is wrong and where; once it has 1 KiB, further players are not checked.
/// Pure; any thread.
base::expected<group_request> read_group_request(std::string_view body);

} // namespace matchcloud::model
