#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "store/lobby_history.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace matchcloud::store {

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
