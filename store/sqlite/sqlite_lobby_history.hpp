#pragma once

#include "base/clock.hpp"
#include "model/lobbies/export_query.hpp"
#include "store/lobby_history.hpp"
#include "store/sql/lobby_cursors.hpp"
#include "store/sqlite/sqlite.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// Selects the lobbies of one duration class that may have been alive in a span, ordered by start,
/// then by id. Parameters: game, class, exclusive bounds of the start (lower, upper), begin of the
/// span.
inline constexpr std::string_view class_lobbies_sql =
    "SELECT start_ts, lobby_id, stop_ts, kind FROM lobbies WHERE game_id = ?1 AND "
    "duration_class = ?2 AND start_ts > ?3 AND start_ts < ?4 AND (stop_ts > ?5 OR start_ts >= ?5) "
    "ORDER BY start_ts, lobby_id";

/// Selects a game's first duration class after another one.
inline constexpr std::string_view next_class_sql =
    "SELECT duration_class FROM lobbies WHERE game_id = ?1 AND duration_class > ?2 "
    "ORDER BY duration_class LIMIT 1";

/// Reads lobby history with one cursor for each duration class that the game has, merged by start
/// and id, so that nothing is sorted and memory use is constant. The statements are prepared once.
/// Must be destroyed before its connection. One thread.
class sqlite_lobby_history {
public:
  explicit sqlite_lobby_history(sqlite_connection& on);

  /// Implements `lobby_history::read`, in a transaction of its own.
  void read(const model::export_query& query, const base::clock& clock, const history_reader& to);

  /// SQLite virtual machine instructions executed by all readings, except those for revisions.
  std::uint64_t steps() const noexcept;

private:
  /// The remaining lobbies of a duration class.
  struct cursor final : lobby_cursor {
    explicit cursor(sqlite_statement of) : rows{std::move(of)} {}
    bool next(lobby_row& into) override;

    sqlite_statement rows;
  };

  /// A cursor for each duration class of the game.
  std::vector<lobby_cursor*> open_cursors(const model::export_query& query);
  std::optional<int> next_class(const model::uuid& game_id, int after);
  cursor& open_cursor(std::size_t number, const model::export_query& query, int duration_class);
  void close_cursors() noexcept;

  sqlite_connection* on_;
  sqlite_statement next_class_;
  /// Reused by later readings; as many as the most duration classes of any game read so far.
  std::vector<std::unique_ptr<cursor>> cursors_;
};

} // namespace matchcloud::store
