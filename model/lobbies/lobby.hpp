#pragma once

#include "model/text/uuid.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace matchcloud::model {

/// When a lobby lived, in milliseconds since 1970. The stop is never before the start.
struct lobby_times {
  std::int64_t start_ts = 0;
  /// Empty while the lobby runs.
  std::optional<std::int64_t> stop_ts;

  friend bool operator==(const lobby_times&, const lobby_times&) = default;
};

/// Merges two reports of one lobby: the earlier start, and the later stop if either has one.
/// Commutative, associative, idempotent.
lobby_times merge(const lobby_times& a, const lobby_times& b) noexcept;

/// The duration class of a lobby that runs.
inline constexpr int running_class = -1;
/// The class of a lobby's duration, as a power of two: the largest k such that 2^k milliseconds do
/// not exceed it. A duration of zero counts as one millisecond. `running_class` while the lobby
/// runs.
int duration_class(const lobby_times& times) noexcept;

/// Everything about a lobby that is fixed for its life and that other lobbies may share.
struct lobby_attributes {
  uuid namespace_id;
  uuid version_id;
  std::string region_id;
  std::string tier;
  std::string version_name;
  std::string game_mode;

  friend auto operator<=>(const lobby_attributes&, const lobby_attributes&) = default;
};

/// The first member in which two attributes differ, with both values: `region_id "fra" is not
/// "iad"`. Empty if they are equal.
std::string difference(const lobby_attributes& found, const lobby_attributes& known);

struct lobby {
  uuid lobby_id;
  lobby_times times;
  lobby_attributes attributes;

  friend bool operator==(const lobby&, const lobby&) = default;
};

} // namespace matchcloud::model

template <>
struct std::hash<matchcloud::model::lobby_attributes> {
  std::size_t operator()(const matchcloud::model::lobby_attributes& attributes) const noexcept;
};
