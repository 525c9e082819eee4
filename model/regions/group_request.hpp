#pragma once

#include "base/expected.hpp"
#include "model/catalog/catalog.hpp"
#include "model/net/ip_address.hpp"
#include "model/regions/group_ranking.hpp"
#include "model/regions/measured_latency.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::model {

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
