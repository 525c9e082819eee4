#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby_csv.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace matchcloud::store {

class store;

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

/// What was exported.
struct history_summary {
  history_snapshot snapshot;
  std::uint64_t rows = 0;
  /// Of the CSV, its header included.
  std::uint64_t bytes = 0;
  /// Some of the lobbies run: the same export may be longer later.
  bool has_running = false;
};

/// Where `write_lobby_history` writes to and whom it tells.
struct history_output {
  /// Told the snapshot before anything is written. May be empty.
  std::function<void(const history_snapshot&)> begun;
  /// Takes the next bytes of the CSV, some hundred kilobytes at once, and how many rows they
  /// complete all together. A failure ends the export.
  std::function<base::expected<void>(std::string_view bytes, std::uint64_t rows)> write;
  /// As in `history_reader`. May be empty.
  std::function<bool()> stop;
};

/// Writes a game's lobby history as CSV: header and every lobby alive in the span, of one snapshot,
/// by start, then by id. Memory does not grow with the history. Fails with `store_failed`, as
/// `write` does, or with `cancelled` where `stop` said so. Blocks.
base::expected<history_summary> write_lobby_history(store& from, const model::export_query& query,
                                                    const base::clock& clock,
                                                    const history_output& to);

} // namespace matchcloud::store
