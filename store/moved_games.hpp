#pragma once

#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace matchcloud::store {

struct game_revision {
  model::uuid game_id;
  std::int64_t revision = 0;

  friend bool operator==(const game_revision&, const game_revision&) = default;
};

/// Games whose avatars changed after a known revision.
struct moved_games {
  /// The most games that are listed; if more moved, `all` is set instead.
  static constexpr std::size_t named_limit = 10'000;

  /// The revision up to which changes are known now.
  std::int64_t revision = 0;
  /// The games that moved, in ascending order of revision; empty if `all`.
  std::vector<game_revision> games;
  /// Whether any game may have changed.
  bool all = false;
};

} // namespace matchcloud::store
