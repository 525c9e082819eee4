#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "base/second_chance_cache.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_merge.hpp"
#include "store/sqlite/sqlite.hpp"
#include "store/sqlite/sqlite_audit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {

/// The intended duration of a transaction that merges lobbies, including its commit, because other
/// writers wait for it. A commit that takes longer than predicted may extend it to 50 ms.
inline constexpr std::chrono::milliseconds merge_transaction_target{35};
/// The memory limit of the cache of known lobby attributes.
inline constexpr std::size_t attributes_cache_limit_bytes = 8UL * 1024 * 1024;

/// Merges lobbies into the tables, with statements that are prepared once. Must be destroyed before
/// its connection. One thread.
class lobby_writer {
public:
  static base::expected<lobby_writer> prepare(connection& on);

  /// Implements `lobby_sink::merge`, in a transaction of its own that is on disk when this returns.
  base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes,
                                    const sqlite_audit& audit);
  /// Returns what merging each record on its own would do now. Writes nothing.
  base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes);
  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes);

private:
  /// Lobby attributes of the batch's table.
  struct resolved_attributes {
    enum class state : std::uint8_t { unseen, good, refused };

    state is = state::unseen;
    /// The row in `lobby_kinds`; 0 if there is none yet.
    std::int64_t row = 0;
    model::uuid game_id;
  };
  struct stored_lobby {
    model::uuid game_id;
    model::lobby_times times;
    std::int64_t kind_row = 0;
  };
  struct known_attributes {
    std::int64_t row = 0;
    model::uuid game_id;
  };
  enum class outcome : std::uint8_t { accepted, unchanged, rejected };

  explicit lobby_writer(connection& on) : on_{&on} {}

  void begin_batch(const model::lobby_attributes_table& attributes);
  base::expected<lobby_merge> merge_front(std::span<const model::lobby_record> records,
                                          base::steady_time begun);
  /// Adds the outcome of the next record to the counts.
  void count(outcome became, lobby_merge& in) const;
  base::expected<void> commit(transaction& changes, std::size_t rows, const sqlite_audit& audit);
  base::expected<outcome> merge_one(const model::lobby_record& each);
  base::expected<outcome> check_one(const model::lobby_record& each);
  base::expected<outcome> merge_into(const stored_lobby& known, const model::lobby_record& each);
  base::expected<outcome> reject(std::int64_t known_row, const model::lobby_record& each);

  /// Returns null if the attributes are refused; the finding is then in `finding_`.
  base::expected<resolved_attributes*> resolve(std::uint32_t number);
  base::expected<std::optional<model::uuid>> find_game(const model::lobby_attributes& kind);
  base::expected<std::int64_t> find_row(const model::lobby_attributes& kind);
  base::expected<std::int64_t> add_row(const model::lobby_attributes& kind);
  base::expected<model::lobby_attributes> read_attributes(std::int64_t row);

  base::expected<std::optional<stored_lobby>> find(const model::uuid& lobby_id);
  /// Returns false if the id is already there.
  base::expected<bool> insert(const model::uuid& game_id, const model::uuid& lobby_id,
                              const model::lobby_times& times, std::int64_t kind_row);
  base::expected<void> remove(const stored_lobby& known, const model::uuid& lobby_id);

  connection* on_;
  std::optional<statement> game_of_namespace_;
  std::optional<statement> find_region_;
  std::optional<statement> find_attributes_;
  std::optional<statement> add_attributes_;
  std::optional<statement> read_attributes_;
  std::optional<statement> find_;
  std::optional<statement> insert_;
  std::optional<statement> remove_;

  /// The rows of known lobby attributes; rows of `lobby_kinds` are never changed or removed.
  base::second_chance_cache<model::lobby_attributes, known_attributes> known_attributes_{
      attributes_cache_limit_bytes};
  /// The recent cost of commits, in nanoseconds per row written.
  double commit_ns_per_row_ = 0;

  // State of the current batch.
  const model::lobby_attributes_table* attributes_ = nullptr;
  std::vector<resolved_attributes> resolved_;
  std::unordered_map<std::uint32_t, model::line_finding> refused_;
  std::set<model::uuid> moved_games_;
  model::line_finding finding_;
};

} // namespace matchcloud::store
