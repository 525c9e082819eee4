#pragma once

#include "base/clock.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_sink.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/lobby_rows.hpp"
#include "store/sqlite/sqlite.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// The intended duration of a transaction that merges lobbies, including its commit, because other
/// writers wait for it. A commit that takes longer than predicted may extend it to 200 ms. Ids are
/// random, so each lobby changes a page of their index that few others in the transaction change:
/// with transactions a quarter as long, two and a half times as many pages would be written.
inline constexpr std::chrono::milliseconds merge_transaction_target{150};

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

/// Lobbies in SQLite. History is read with one cursor for each duration class that the game has,
/// merged by start and id, so that nothing is sorted and memory use is constant.
class sqlite_lobbies final : public lobby_engine {
public:
  explicit sqlite_lobbies(sqlite_connection& on) : lobby_engine{on}, on_{&on} {}

  lobby_merge merge(lobby_batch records, const model::lobby_attributes_table& attributes,
                    audit_table& audit) override;

  /// SQLite virtual machine instructions that all readings executed to find lobbies.
  std::uint64_t steps() const noexcept;

private:
  struct stored_lobby {
    model::uuid game_id;
    model::lobby_times times;
    std::int64_t kind_row = 0;
  };
  enum class outcome : std::uint8_t { accepted, unchanged, rejected };

  lobby_merge merge_front(lobby_batch records, base::steady_time begun);
  /// Adds the outcome of the next record to the counts.
  void count(outcome became, lobby_merge& in) const;
  /// Forgets the known attributes if a game was erased since. Call it in the transaction.
  void look_for_erasures();
  void commit(sql_transaction& changes, std::size_t rows, audit_table& audit);
  outcome merge_one(const model::lobby_record& each);
  outcome merge_into(const stored_lobby& known, const model::lobby_record& each);
  outcome reject(const model::lobby_record& each, std::int64_t known_row);

  void merge_history(const model::export_query& query, const history_reader& to) override;
  known_lobbies find_known(lobby_batch records) override;
  std::optional<stored_lobby> find(const model::uuid& lobby_id);
  /// Returns false if the id is already there.
  bool insert(const model::uuid& game_id, const model::uuid& lobby_id,
              const model::lobby_times& times, std::int64_t kind_row);
  void remove(const stored_lobby& known, const model::uuid& lobby_id);

  /// The remaining lobbies of a duration class.
  struct cursor final : lobby_cursor {
    explicit cursor(sqlite_statement of) : rows{std::move(of)} {}
    bool next(lobby_row& into) override;

    sqlite_statement rows;
    bool is_running = false;
  };

  /// A cursor for each duration class of the game.
  std::vector<lobby_cursor*> open_cursors(const model::export_query& query);
  std::optional<int> next_class(const model::uuid& game_id, int after);
  cursor& open_cursor(std::size_t number, const model::export_query& query, int duration_class);
  void close_cursors() noexcept;

  sqlite_connection* on_;
  /// The number of erasures at the last check.
  std::int64_t known_erasures_ = 0;

  /// The recent cost of commits, in nanoseconds per row written. At first a guess that assumes a
  /// disk with nothing cached.
  double commit_ns_per_row_ = 5'000;

  /// The games that the current transaction changed lobbies of.
  std::set<model::uuid> moved_games_;
  /// Reused by later readings; as many as the most duration classes of any game read so far.
  std::vector<std::unique_ptr<cursor>> cursors_;
};

} // namespace matchcloud::store
