#pragma once

#include "base/expected.hpp"
#include "store/retention_store.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace matchcloud::store {

/// Lobbies are counted up to this number.
inline constexpr std::uint64_t due_count_limit = 10'000'000;

/// The same, if the store takes too long to count that far.
inline constexpr std::uint64_t hurried_count_limit = 100'000;

/// What is kept of a game's history, and what has expired.
struct game_retention {
  model::uuid game_id;
  /// Days after a lobby's stop, set by the game or the configuration; 0: for ever.
  std::int64_t retention_days = 0;
  /// Those that the game itself sets.
  std::optional<std::int64_t> own_days = {};
  /// See `kept_history`.
  std::int64_t complete_from_ts = 0;
  /// Lobbies that stopped at or before this expire, in milliseconds since 1970. Nothing: none do.
  std::optional<std::int64_t> horizon_ts = {};
  /// The number of these lobbies, counted up to `due_count_limit` or `hurried_count_limit`.
  std::uint64_t due = 0;

  friend bool operator==(const game_retention&, const game_retention&) = default;
};

/// The retention of all games, without counting what is due. `overall` is the configured time; 0:
/// for ever.
base::expected<std::vector<game_retention>>
retentions_at(retention_store& in, std::chrono::days overall, std::int64_t now_ms);

/// Counts what is due for each game. Reads one entry of an index for each lobby counted.
base::expected<void> count_due(retention_store& in, std::vector<game_retention>& all);

} // namespace matchcloud::store
