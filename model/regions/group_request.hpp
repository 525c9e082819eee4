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
/// `fair_within_ms` of a request that does not say it.
inline constexpr double fair_within_default_ms = 20;

/// A player of a group. What is not known is absent, which may be all of it.
struct group_player {
  /// What the client calls the player.
  std::optional<std::string> id = {};
  std::optional<ip_address> address = {};
  /// Counts before the place of the address.
  std::optional<coordinates> where = {};
  /// In ascending order of id. They count before what the place says.
  std::vector<measured_latency> latencies = {};

  friend bool operator==(const group_player&, const group_player&) = default;
};

/// What a client asks for a group: in which order regions suit it.
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
/// names what is wrong and where; after some hundred bytes of it, further players are not checked.
/// Pure; any thread.
base::expected<group_request> read_group_request(std::string_view body);

} // namespace matchcloud::model
