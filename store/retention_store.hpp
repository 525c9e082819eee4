#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace matchcloud::store {

/// Where a lobby stands among those of its game: they are in this order.
struct lobby_place {
  /// The class of a running lobby is -1, see `model::duration_class`.
  int duration_class = -2;
  std::int64_t start_ts = 0;
  model::uuid lobby_id = {};
};

/// How long a game's history is kept.
struct kept_history {
  model::uuid game_id;
  /// Days from the stop of a lobby. Nothing: as configured; 0: for ever.
  std::optional<std::int64_t> retention_days = {};
  /// All lobbies that were alive then or later are there, as far as none was reported late, in
  /// milliseconds since 1970. 0: none has expired.
  std::int64_t complete_from_ts = 0;

  friend bool operator==(const kept_history&, const kept_history&) = default;
};

/// The role of removing what is older than it is kept. See `session` for what the calls of all
/// roles have in common. Times are milliseconds since 1970.
class retention_store {
public:
  virtual ~retention_store() = default;

  /// Says that `owner` does the store's housekeeping, for `lease` more by the store's clock.
  /// Returns false if somebody else does.
  virtual base::expected<bool> take_housekeeping(const model::uuid& owner,
                                                 std::chrono::milliseconds lease) = 0;
  /// Says that `owner` does no more housekeeping, so that another one need not wait.
  virtual base::expected<void> leave_housekeeping(const model::uuid& owner) = 0;

  /// All games but those that are erased, removed ones included, ordered by id.
  virtual base::expected<std::vector<kept_history>> kept_histories() = 0;
  /// Lobbies of a game that stopped at or before `horizon_ts` and stand after `after`, in order, at
  /// most `limit`: fewer at the end.
  virtual base::expected<std::vector<lobby_place>> expired_lobbies(const model::uuid& game_id,
                                                                   std::int64_t horizon_ts,
                                                                   const lobby_place& after,
                                                                   std::size_t limit) = 0;
  /// How many lobbies of a game stopped at or before `horizon_ts`, counted up to `limit`.
  virtual base::expected<std::uint64_t>
  count_expired(const model::uuid& game_id, std::int64_t horizon_ts, std::uint64_t limit) = 0;
  /// Removes those of `lobbies` that still stopped at or before `horizon_ts`, in one transaction,
  /// from whose commit on the game's history is complete from `horizon_ts`. They are in order, and
  /// others that stand between them may go with them. Returns how many went. Some that somebody
  /// else is changing are left for another time.
  virtual base::expected<std::size_t> expire_lobbies(const model::uuid& game_id,
                                                     std::int64_t horizon_ts,
                                                     std::span<const lobby_place> lobbies) = 0;
};

} // namespace matchcloud::store
