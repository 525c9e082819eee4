#pragma once

#include "model/text/uuid.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace matchcloud::model {

/// When a lobby lived, in milliseconds since 1970. A stop is never before the start.
struct lobby_times {
  std::int64_t start_ts = 0;
  /// Empty while it runs.
  std::optional<std::int64_t> stop_ts;

  friend bool operator==(const lobby_times&, const lobby_times&) = default;
};

/// What is known after two reports of one lobby, in either order: the earlier start, and the later
/// stop if either has one. Commutative, associative, idempotent.
lobby_times merge(const lobby_times& a, const lobby_times& b) noexcept;

/// The class of a lobby that runs.
inline constexpr int running_class = -1;
/// How long it lasted, as a power of two: the largest k with 2^k milliseconds at most (a lobby of
/// none counts as one millisecond).
int duration_class(const lobby_times& times) noexcept;

/// Everything about a lobby that does not change over its life and that others have in common.
struct lobby_attributes {
  uuid namespace_id;
  uuid version_id;
  std::string region_id;
  std::string tier;
  std::string version_name;
  std::string game_mode;

  friend auto operator<=>(const lobby_attributes&, const lobby_attributes&) = default;
};

/// The first member in which two attributes differ and both values: `region_id "fra" is not "iad"`.
/// Empty where they are equal.
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
