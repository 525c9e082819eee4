#pragma once

#include "base/second_chance_cache.hpp"
#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_merge.hpp"
#include "store/sql/sql.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {

/// The memory limit of the cache of known lobby attributes.
inline constexpr std::size_t attributes_cache_limit_bytes = 8UL * 1024 * 1024;

/// Finds the rows of lobby attributes, which lobbies share, and adds missing ones. Caches the rows.
/// Throws like its connection. One per session, one thread.
class lobby_attribute_rows {
public:
  explicit lobby_attribute_rows(sql_connection& on) : on_{&on} {}

  /// Attributes of a batch's table whose namespace and region the store has.
  struct known_attributes {
    /// The row in `lobby_kinds`; 0 if there is none yet.
    std::int64_t row = 0;
    model::uuid game_id;
  };

  /// From now on numbers refer to this table, which must stay valid until the next call.
  void begin_batch(const model::lobby_attributes_table& attributes);
  /// Looks up attributes of the batch. Returns null if they are refused: `finding` then says why.
  const known_attributes* resolve(std::uint32_t number);
  /// Adds the row of resolved attributes that have none.
  void add(std::uint32_t number);
  /// Sets `finding` to the conflict of a lobby with a stored one that has other attributes.
  void refuse(const model::lobby_record& record, std::int64_t stored_row);
  /// Why the last lobby was refused.
  const model::line_finding& finding() const noexcept { return finding_; }

  /// Implements `lobby_sink::check_attributes`.
  std::vector<attributes_check> check(const model::lobby_attributes_table& attributes);

  /// Forgets all rows, because some may be gone with the transaction that added them or with their
  /// game.
  void forget() { cache_.clear(); }

private:
  struct entry {
    enum class state : std::uint8_t { unseen, good, refused };

    state is = state::unseen;
    known_attributes known;
  };

  bool look_up(const model::lobby_attributes& attributes, known_attributes& into);
  std::int64_t find_row(const model::lobby_attributes& attributes);
  model::lobby_attributes read(std::int64_t row);

  sql_connection* on_;
  /// Rows of `lobby_kinds` never change, and are removed only with their game.
  base::second_chance_cache<model::lobby_attributes, known_attributes> cache_{
      attributes_cache_limit_bytes};

  // State of the current batch.
  const model::lobby_attributes_table* batch_ = nullptr;
  std::vector<entry> entries_;
  std::unordered_map<std::uint32_t, model::line_finding> refused_;
  model::line_finding finding_;
};

} // namespace matchcloud::store
