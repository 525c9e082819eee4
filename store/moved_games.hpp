#pragma once

#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::store {

/// What of a game has revisions of its own.
enum class game_subject : std::uint8_t { avatars, lobbies };

struct game_revision {
  model::uuid game_id;
  std::int64_t revision = 0;

  friend bool operator==(const game_revision&, const game_revision&) = default;
};

/// Games whose avatars (or lobbies) changed after a known revision.
struct moved_games {
  /// More than these are not named: `all` is set instead.
  static constexpr std::size_t named_limit = 10'000;

  /// What is known from now on.
  std::int64_t revision = 0;
  /// In ascending order of the revision; empty if `all`.
  std::vector<game_revision> games;
  /// Any game may have changed.
  bool all = false;
};

} // namespace matchcloud::store
