#pragma once

#include "base/clock.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_sink.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/lobby_rows.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {

/// The most lobbies that one transaction takes.
inline constexpr std::size_t merge_limit = 5'000;
/// The most reports of one lobby that a transaction takes: each needs its own statement.
inline constexpr std::size_t reports_limit = 8;
/// How often a transaction is tried if the server asks for repetition.
inline constexpr int merge_attempts = 5;

/// How many lobbies of a duration class are fetched at once. While they are merged, the next batch
/// is on its way: a reading holds at most two batches per class, for 43 classes, of 120 bytes each.
inline constexpr int fetched_at_once = 5'000;

/// Merges lobbies with one statement per transaction, which receives them as arrays, sorted by id
/// so that writers never deadlock. Reads history from one snapshot, with a cursor for each duration
/// class that the game has, merged by start and id: neither side sorts.
class postgres_lobbies final : public lobby_engine {
public:
  explicit postgres_lobbies(postgres_connection& on) : lobby_engine{on}, on_{&on} {}

  lobby_merge merge(lobby_batch records, const model::lobby_attributes_table& attributes,
                    audit_table& audit) override;
  void merge_together(std::span<merge_part> parts) override;

private:
  enum class outcome : std::uint8_t { unchanged, accepted, rejected };
  /// Numbers of records in the order of their lobbies' ids, one record per lobby.
  using round = std::vector<std::size_t>;
  /// The author of the records before `end` that do not belong to the previous author.
  struct author {
    std::size_t end = 0;
    audit_table audit;
  };
  using author_list = std::vector<author>;

  /// The records from the front that one transaction takes, in rounds.
  static std::vector<round> rounds_of(lobby_batch& records);
  void resolve(lobby_batch records);
  void add_missing(lobby_batch records);
  /// Merges the records that one transaction takes from the front, and shortens `records` to them.
  /// Returns how long the transaction was open.
  std::chrono::nanoseconds merge_front(lobby_batch& records,
                                       const model::lobby_attributes_table& attributes,
                                       author_list& authors);
  /// Merges parts from the front, at least one; returns how many.
  std::size_t merge_parts(std::span<merge_part> parts);
  void merge_once(lobby_batch records, const std::vector<round>& rounds, author_list& authors);
  void merge_round(lobby_batch records, const round& numbers);
  void find_conflicts(lobby_batch records, const round& numbers);
  void finish(author_list& authors, sql_transaction& changes);
  known_lobbies find_known(lobby_batch records) override;
  /// The outcome for `records`, which begin at number `first`.
  lobby_merge summary(lobby_batch records, std::size_t first = 0);

  /// The remaining lobbies of a duration class: those received, and those requested.
  class cursor;

  /// The duration classes of the game.
  std::vector<int> find_classes(const model::export_query& query);
  void merge_history(const model::export_query& query, const history_reader& to) override;
  void merge_classes(const model::export_query& query, const history_reader& to);

  postgres_connection* on_;

  // State of the current batch, by the number of the record.
  std::vector<const lobby_attribute_rows::known_attributes*> known_;
  std::vector<outcome> outcomes_;
  /// The stored kinds of rejected lobbies.
  std::unordered_map<std::size_t, std::int64_t> conflicts_;
  std::set<model::uuid> moved_games_;
};

} // namespace matchcloud::store
