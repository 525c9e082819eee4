#pragma once

#include "base/expected.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_sink.hpp"
#include "store/postgres/postgres.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/lobby_attributes.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {

/// How many lobbies one transaction takes at most.
inline constexpr std::size_t merge_limit = 5'000;
/// How many reports of one lobby a transaction takes at most: each needs a statement of its own.
inline constexpr std::size_t reports_limit = 8;
/// How often a transaction is tried that the server asks to be repeated.
inline constexpr int merge_attempts = 5;

/// Merges lobbies with one statement per transaction, which gets them as arrays, sorted by id so
/// that two writers never wait for each other in a circle. One thread.
class postgres_lobbies {
public:
  explicit postgres_lobbies(postgres_connection& on) : on_{&on}, attributes_{on} {}

  /// Implements `lobby_sink::merge`.
  base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes,
                                    const audit_table& audit);
  /// Implements `lobby_sink::merge_together`.
  void merge_together(std::span<merge_part> parts);
  /// Implements `lobby_sink::check`.
  base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes);
  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) {
    return attributes_.check(attributes);
  }

  /// Counts that the transaction changes the lobbies of a game, in the table `lobby_changes`, of
  /// which `read_lobbies_revision` is the sum. It waits for no other transaction, and none waits
  /// for it.
  base::expected<void> count_change(const model::uuid& game_id);

private:
  enum class outcome : std::uint8_t { unchanged, accepted, rejected };
  struct stored_lobby {
    model::lobby_times times;
    std::int64_t kind = 0;
  };
  using stored_lobbies = std::unordered_map<model::uuid, stored_lobby>;
  /// Numbers of records, in the order of their lobbies' ids; of each lobby one.
  using round = std::vector<std::size_t>;
  /// Who answers for records: those before `end` that are not the one's before.
  struct author {
    std::size_t end = 0;
    audit_table audit;
  };
  using author_list = std::vector<author>;

  /// How many records from the front a transaction takes, and in which rounds.
  static std::vector<round> rounds_of(std::span<const model::lobby_record>& records);
  base::expected<void> resolve(std::span<const model::lobby_record> records);
  base::expected<void> add_missing(std::span<const model::lobby_record> records);
  /// Merges as many from the front as a transaction takes, and shortens `records` to them. Returns
  /// how long the transaction was open.
  base::expected<std::chrono::nanoseconds>
  merge_front(std::span<const model::lobby_record>& records,
              const model::lobby_attributes_table& attributes, const author_list& authors);
  /// Merges parts from the front, at least one; returns how many.
  std::size_t merge_parts(std::span<merge_part> parts);
  base::expected<void> merge_once(std::span<const model::lobby_record> records,
                                  const std::vector<round>& rounds, const author_list& authors);
  base::expected<void> merge_round(std::span<const model::lobby_record> records,
                                   const round& numbers);
  base::expected<void> find_conflicts(std::span<const model::lobby_record> records,
                                      const round& numbers);
  base::expected<void> finish(const author_list& authors, sql_transaction& changes);
  /// What merging a record on its own would do.
  void judge(std::size_t number, const model::lobby_record& each, const stored_lobbies& stored);
  base::expected<stored_lobbies> find(std::span<const model::lobby_record> records);
  /// What became of `records`, which are those from number `first` on.
  base::expected<lobby_merge> summary(std::span<const model::lobby_record> records,
                                      std::size_t first = 0);

  postgres_connection* on_;
  lobby_attribute_rows attributes_;

  // State of the current batch, by the number of the record.
  std::vector<const lobby_attribute_rows::known_attributes*> known_;
  std::vector<outcome> outcomes_;
  /// The stored kinds of rejected lobbies.
  std::unordered_map<std::size_t, std::int64_t> conflicts_;
  std::set<model::uuid> moved_games_;
};

} // namespace matchcloud::store
