#pragma once

#include "base/second_chance_cache.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/lobby_sink.hpp"
#include "store/sql/sql.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
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

/// The memory limit, per reading, for columns of lobby attributes (`model::csv_attribute_columns`).
inline constexpr std::size_t attribute_columns_limit_bytes = 8UL * 1024 * 1024;

/// Selects lobby attributes with the current names of their namespace and region.
inline constexpr sql_command attribute_columns_query{
    "SELECT lobby_kinds.namespace_id, version_id, lobby_kinds.region_id, tier, version_name, "
    "game_mode, name, region_display_name FROM lobby_kinds JOIN namespaces USING (namespace_id) "
    "JOIN regions USING (region_id) WHERE kind = $1",
    "read the lobby history"};

/// The columns of recently read lobby attributes, bounded in bytes.
class attribute_columns {
public:
  explicit attribute_columns(model::csv_dialect as) noexcept : dialect_{as} {}

  /// Returns the columns of a row of `lobby_kinds`, with the current names of its namespace and
  /// region; reads them unless they are known. Valid until the next call.
  const std::string& of(sql_connection& on, std::int64_t kind) {
    if (const auto* found = get(kind)) return *found;
    return read(on, kind);
  }

private:
  /// Null if the columns are not known.
  const std::string* get(std::int64_t kind) {
    auto& slot = recent_[static_cast<std::uint64_t>(kind) % recent_.size()];
    if (slot.kind == kind && slot.columns) return slot.columns;
    slot = {kind, all_.get(kind)};
    return slot.columns;
  }
  const std::string& read(sql_connection& on, std::int64_t kind);
  void put(std::int64_t kind, std::string columns);

  struct recent {
    std::int64_t kind = 0;
    const std::string* columns = nullptr;
  };

  model::csv_dialect dialect_;
  base::second_chance_cache<std::int64_t, std::string> all_{attribute_columns_limit_bytes};
  /// A small front cache for the inner loop: a hit needs neither a hash look-up nor a mark of use.
  /// Emptied by each `put`.
  std::array<recent, 256> recent_{};
};

} // namespace matchcloud::store
