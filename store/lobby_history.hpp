#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby_csv.hpp"

#include <cstdint>
#include <functional>

namespace matchcloud::store {

/// What an export depends on besides its query: it moves whenever a row of it may have changed.
struct history_revisions {
  /// Of the game's lobbies.
  std::int64_t lobbies = 0;
  /// Of the names.
  std::int64_t catalog = 0;

  friend bool operator==(const history_revisions&, const history_revisions&) = default;
};

/// The one state of the store that an export is of.
struct history_snapshot {
  history_revisions revisions;
  /// The instant at which its transaction began, milliseconds since 1970: lobbies that run are
  /// counted up to here, and everything acknowledged before is in it.
  std::int64_t taken_ts = 0;
};

/// How `lobby_history::read` tells what it finds, on the caller's thread.
struct history_reader {
  /// Once, before the first lobby. May be empty.
  std::function<void(const history_snapshot&)> begun;
  /// For each lobby, by start, then by id; false ends the reading.
  std::function<bool(const model::history_lobby&)> take;
  /// Asked once after `begun`, then now and then, also while nothing is found; true ends the
  /// reading. May be empty.
  std::function<bool()> stop;
};

/// The role of reading the history of lobbies. What any role's calls have in common stands at
/// `session`.
class lobby_history {
public:
  virtual ~lobby_history() = default;

  /// What an export of a game's history that begins now would be of.
  virtual base::expected<history_revisions> revisions(const model::uuid& game_id) = 0;
  /// Reads the lobbies of a game that were alive in a span, of one snapshot. Memory does not grow
  /// with their number, cost grows with what is found. Fails with `cancelled` where `stop` said so.
  virtual base::expected<void> read(const model::export_query& query, const base::clock& clock,
                                    const history_reader& to) = 0;
};

} // namespace matchcloud::store
