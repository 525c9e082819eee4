#pragma once

#include "base/expected.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/text/uuid.hpp"
#include "store/sql_table.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace matchcloud::store {

/// The position of a lobby among its game's lobbies, which are in this order.
struct lobby_place {
  /// The class of a running lobby is -1, see `model::duration_class`.
  int duration_class = -2;
  std::int64_t start_ts = 0;
  model::uuid lobby_id = {};
};

/// How long a game's history is kept.
struct kept_history {
  model::uuid game_id;
  /// Days after a lobby's stop. Nothing: the configured time; 0: for ever.
  std::optional<std::int64_t> retention_days = {};
  /// All lobbies alive at this time or later are stored, unless they were reported late. In
  /// milliseconds since 1970; 0: none has expired.
  std::int64_t complete_from_ts = 0;

  friend bool operator==(const kept_history&, const kept_history&) = default;
};

/// The role of removing expired data. See `session` for what the calls of all roles have in common.
/// Times are milliseconds since 1970.
class retention_store : public sql_table {
public:
  using sql_table::sql_table;

  /// Makes `owner` the store's housekeeper, for `lease` from now by the store's clock. Returns
  /// false if another process is.
  base::expected<bool> take_housekeeping(const model::uuid& owner, std::chrono::milliseconds lease);
  /// Ends the housekeeping of `owner`, so that another process need not wait for the lease.
  base::expected<void> leave_housekeeping(const model::uuid& owner);

  /// When `note_expiry` was last called, or 0.
  base::expected<std::int64_t> last_expiry();
  /// Records that a run of expiry was complete.
  base::expected<void> note_expiry(std::int64_t now_ms);
  /// The latest start of a game's lobbies that have stopped; nothing: it has none.
  base::expected<std::optional<std::int64_t>> newest_lobby(const model::uuid& game_id);

  /// All games but those that are erased, removed ones included, ordered by id.
  base::expected<std::vector<kept_history>> kept_histories();
  /// Lobbies of a game that run and started at or before `started_ts`, in order, at most `limit`:
  /// fewer at the end. They follow `after`, which is a position among those that run.
  base::expected<std::vector<model::lobby>> running_lobbies(const model::uuid& game_id,
                                                            std::int64_t started_ts,
                                                            const lobby_place& after,
                                                            std::size_t limit);
  /// Lobbies of a game that stopped at or before `horizon_ts` and follow `after`, in order, at most
  /// `limit`: fewer at the end.
  base::expected<std::vector<lobby_place>> expired_lobbies(const model::uuid& game_id,
                                                           std::int64_t horizon_ts,
                                                           const lobby_place& after,
                                                           std::size_t limit);
  /// How many lobbies of a game stopped at or before `horizon_ts`, counted up to `limit`.
  base::expected<std::uint64_t> count_expired(const model::uuid& game_id, std::int64_t horizon_ts,
                                              std::uint64_t limit);
  /// Removes the `lobbies` whose stop is still at or before `horizon_ts`, in one transaction. From
  /// its commit on, the game's history is complete from `horizon_ts`. They must be in order; others
  /// between them may be removed too. Returns how many were removed. Lobbies that another session
  /// is changing are left for a later call. Removes nothing and returns nothing if the game's own
  /// `retention_days` are no longer these, from which the horizon was computed.
  base::expected<std::optional<std::size_t>>
  expire_lobbies(const model::uuid& game_id, std::optional<std::int64_t> retention_days,
                 std::int64_t horizon_ts, std::span<const lobby_place> lobbies);
};

} // namespace matchcloud::store
