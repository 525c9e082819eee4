#pragma once

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

/// How `store::read_lobby_history` tells what it finds, on the caller's thread.
struct history_reader {
  /// Once, before the first lobby. May be empty.
  std::function<void(const history_snapshot&)> begun;
  /// For each lobby, by start, then by id; false ends the reading.
  std::function<bool(const model::history_lobby&)> take;
  /// Asked once after `begun`, then now and then, also while nothing is found; true ends the
  /// reading. May be empty.
  std::function<bool()> stop;
};

} // namespace matchcloud::store
