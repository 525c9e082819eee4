#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/lobbies/lobby_csv.hpp"
#include "model/text/uuid.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::store {

/// The revisions that an export depends on: at least one moves whenever a row of the export may
/// have changed.
struct history_revisions {
  /// Revision of the game's lobbies.
  std::int64_t lobbies = 0;
  /// Revision of the catalog, which has the names.
  std::int64_t catalog = 0;

  /// Whether a state of the store includes all that another one did: revisions only grow.
  bool covers(const history_revisions& other) const noexcept {
    return lobbies >= other.lobbies && catalog >= other.catalog;
  }

  friend bool operator==(const history_revisions&, const history_revisions&) = default;
};

/// The state of the store that an export reads.
struct history_snapshot {
  history_revisions revisions;
  /// When its transaction began, in milliseconds since 1970. The duration of running lobbies counts
  /// up to this instant, and everything acknowledged before it is included.
  std::int64_t taken_ts = 0;
  /// The start of the game's complete history, see `kept_history`; 0: none of it has expired.
  std::int64_t complete_from_ts = 0;

  friend bool operator==(const history_snapshot&, const history_snapshot&) = default;
};

/// Callbacks of `lobby_history::read`, called on the caller's thread.
struct history_reader {
  /// Called once, before the first lobby. May be empty.
  std::function<void(const history_snapshot&)> begun;
  /// Called for each lobby, ordered by start, then by id; returning false ends the reading.
  std::function<bool(const model::history_lobby&)> take;
  /// Called once after `begun`, then from time to time, even while nothing is found; returning true
  /// ends the reading. May be empty.
  std::function<bool()> stop;
};

/// A lobby that was looked up by its id.
struct found_lobby {
  model::lobby_times times;
  /// The `model::csv_attribute_columns` of its attributes, with the current names.
  std::string attribute_columns;
};

/// The role of reading the history of lobbies. See `session` for what the calls of all roles have
/// in common.
class lobby_history {
public:
  virtual ~lobby_history() = default;

  /// The revisions that an export of a game's history would have if it began now.
  virtual base::expected<history_revisions> revisions(const model::uuid& game_id) = 0;
  /// Reads the lobbies of a game that were alive in a span, from one snapshot. Memory use does not
  /// grow with their number; the cost grows with the number found. Fails with `cancelled` if `stop`
  /// returned true, or with `history_too_slow` if a server ended it at its time limit.
  virtual base::expected<void> read(const model::export_query& query, const base::clock& clock,
                                    const history_reader& to) = 0;
  /// The lobby of a game that has this id, whenever it runs or ran; nothing if there is none.
  virtual base::expected<std::optional<found_lobby>> find_lobby(const model::uuid& game_id,
                                                                const model::uuid& lobby_id) = 0;
};

/// A summary of an export.
struct history_summary {
  history_snapshot snapshot;
  std::uint64_t rows = 0;
  /// Size of the CSV, including its header.
  std::uint64_t bytes = 0;
  /// Whether some of the lobbies are running, so that the same export may differ later.
  bool has_running = false;
};

/// The output of `write_lobby_history` and its callbacks.
struct history_output {
  /// Called with the snapshot before anything is written. May be empty.
  std::function<void(const history_snapshot&)> begun;
  /// Receives the next bytes of the CSV, some hundred kilobytes at a time, and the total number of
  /// rows complete so far. A failure ends the export.
  std::function<base::expected<void>(std::string_view bytes, std::uint64_t rows)> write;
  /// Same contract as `history_reader::stop`. May be empty.
  std::function<bool()> stop;
};

/// Writes a game's lobby history as CSV, in the query's dialect: a header and every lobby alive in
/// the span, from one snapshot, ordered by start, then by id. Memory use does not grow with the
/// history. Fails with `store_failed`, like `write`, or with `cancelled` if `stop` returned true.
/// Blocks.
base::expected<history_summary> write_lobby_history(lobby_history& from,
                                                    const model::export_query& query,
                                                    const base::clock& clock,
                                                    const history_output& to);

} // namespace matchcloud::store
