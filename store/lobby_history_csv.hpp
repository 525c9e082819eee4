#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "store/lobby_history.hpp"

#include <cstdint>
#include <functional>
#include <string_view>

namespace matchcloud::store {

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
base::expected<history_summary> write_lobby_history(lobby_history& from,
                                                    const model::export_query& query,
                                                    const base::clock& clock,
                                                    const history_output& to);

} // namespace matchcloud::store
