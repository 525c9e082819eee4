#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace matchcloud::store {

class connection;

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

/// 0 for a game without any. Belongs in the transaction that reads what it counts.
base::expected<std::int64_t> read_game_revision(connection& on, game_subject subject,
                                                const model::uuid& game_id);

/// What lies above `known`; below 0, nothing is known: `all`. O(moved games).
base::expected<moved_games> read_moved_games(connection& on, game_subject subject,
                                             std::int64_t known);

/// Moves a game's revision beyond every other of the subject. Belongs in the transaction that
/// changed what it counts.
base::expected<void> move_game_revision(connection& on, game_subject subject,
                                        const model::uuid& game_id);

} // namespace matchcloud::store
