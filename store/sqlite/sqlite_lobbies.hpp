#pragma once

#include "base/clock.hpp"
#include "base/expected.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_merge.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/lobby_attributes.hpp"
#include "store/sqlite/sqlite.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace matchcloud::store {

/// The intended duration of a transaction that merges lobbies, including its commit, because other
/// writers wait for it. A commit that takes longer than predicted may extend it to 200 ms. Ids are
/// random, so each lobby changes a page of their index that few others in the transaction change:
/// with transactions a quarter as long, two and a half times as many pages would be written.
inline constexpr std::chrono::milliseconds merge_transaction_target{150};

/// Merges lobbies into the tables, with statements that are prepared once. Must be destroyed before
/// its connection. One thread.
class lobby_writer {
public:
  static base::expected<lobby_writer> prepare(sqlite_connection& on);

  /// Implements `lobby_sink::merge`, in a transaction of its own that is on disk when this returns.
  base::expected<lobby_merge> merge(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes,
                                    const audit_table& audit);
  /// Returns what merging each record on its own would do now. Writes nothing.
  base::expected<lobby_merge> check(std::span<const model::lobby_record> records,
                                    const model::lobby_attributes_table& attributes);
  base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) {
    return attributes_.check(attributes);
  }

private:
  struct stored_lobby {
    model::uuid game_id;
    model::lobby_times times;
    std::int64_t kind_row = 0;
  };
  enum class outcome : std::uint8_t { accepted, unchanged, rejected };

  explicit lobby_writer(sqlite_connection& on) : on_{&on}, attributes_{on} {}

  base::expected<lobby_merge> merge_front(std::span<const model::lobby_record> records,
                                          base::steady_time begun);
  /// Adds the outcome of the next record to the counts.
  void count(outcome became, lobby_merge& in) const;
  /// Forgets the known attributes if a game was erased since. Call it in the transaction.
  base::expected<void> look_for_erasures();
  base::expected<void> commit(sql_transaction& changes, std::size_t rows, const audit_table& audit);
  base::expected<outcome> merge_one(const model::lobby_record& each);
  base::expected<outcome> check_one(const model::lobby_record& each);
  base::expected<outcome> merge_into(const stored_lobby& known, const model::lobby_record& each);
  base::expected<outcome> reject(const model::lobby_record& each, std::int64_t known_row);

  base::expected<std::optional<stored_lobby>> find(const model::uuid& lobby_id);
  /// Returns false if the id is already there.
  base::expected<bool> insert(const model::uuid& game_id, const model::uuid& lobby_id,
                              const model::lobby_times& times, std::int64_t kind_row);
  base::expected<void> remove(const stored_lobby& known, const model::uuid& lobby_id);

  sqlite_connection* on_;
  std::optional<sqlite_statement> find_;
  std::optional<sqlite_statement> insert_;
  std::optional<sqlite_statement> remove_;
  std::optional<sqlite_statement> count_erasures_;
  /// The number of erasures at the last check.
  std::int64_t known_erasures_ = 0;

  lobby_attribute_rows attributes_;
  /// The recent cost of commits, in nanoseconds per row written.
  double commit_ns_per_row_ = 0;

  /// The games that the current transaction changed lobbies of.
  std::set<model::uuid> moved_games_;
};

} // namespace matchcloud::store
