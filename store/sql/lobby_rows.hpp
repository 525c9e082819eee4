#pragma once

#include "base/second_chance_cache.hpp"
#include "model/lobbies/export_query.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/text/timestamp.hpp"
#include "store/lobby_history.hpp"
#include "store/lobby_sink.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/sql.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// The operation, for messages.
inline constexpr std::string_view reading_history = "read the lobby history";

/// How an engine merges and reads lobbies. Must be destroyed before its connection. Throws like
/// that. One thread.
class lobby_engine {
public:
  explicit lobby_engine(sql_connection& on) : attributes_{on}, connection_{&on} {}
  lobby_engine(const lobby_engine&) = delete;
  lobby_engine& operator=(const lobby_engine&) = delete;
  virtual ~lobby_engine() = default;

  /// Implements `lobby_sink::merge`, in a transaction of its own that is on disk when this returns.
  virtual lobby_merge merge(lobby_batch records, const model::lobby_attributes_table& attributes,
                            audit_table& audit) = 0;
  /// Implements `lobby_sink::merge_together`.
  virtual void merge_together(std::span<merge_part> parts);
  /// Implements `lobby_sink::check`.
  lobby_merge check(lobby_batch records, const model::lobby_attributes_table& attributes);
  std::vector<attributes_check> check_attributes(const model::lobby_attributes_table& attributes) {
    return attributes_.check(attributes);
  }
  /// Implements `lobby_history::read`, in a transaction of its own.
  void read(const model::export_query& query, const base::clock& clock, const history_reader& to);

protected:
  /// What is stored under the id of a lobby.
  struct known_lobby {
    model::lobby_times times;
    /// The row of its attributes.
    std::int64_t kind = 0;
  };
  using known_lobbies = std::unordered_map<model::uuid, known_lobby>;

  /// Passes the lobbies of a span that is not empty to `to.take`, as `lobby_history::read` does.
  virtual void merge_history(const model::export_query& query, const history_reader& to) = 0;
  /// Looks up lobbies by their ids.
  virtual known_lobbies find_known(lobby_batch records) = 0;
  static audit_table audit_of(const merge_part& part);
  void merge_alone(merge_part& part);

  lobby_attribute_rows attributes_;

private:
  sql_connection* connection_;
};

/// The memory limit, per reading, for columns of lobby attributes (`model::csv_attribute_columns`).
inline constexpr std::size_t attribute_columns_limit_bytes = 8UL * 1024 * 1024;

/// The attributes in a row's namespace_id, version_id, region_id, tier, version_name and game_mode,
/// which begin at `column`.
model::lobby_attributes attributes_at(sql_row& row, int column);

/// Selects lobby attributes with the current names of their namespace and region.
inline constexpr sql_command attribute_columns_query{
    "SELECT lobby_kinds.namespace_id, version_id, lobby_kinds.region_id, tier, version_name, "
    "game_mode, name, region_display_name FROM lobby_kinds JOIN namespaces USING (namespace_id) "
    "JOIN regions USING (region_id) WHERE kind = $1",
    reading_history};

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

/// Just after the last time that a store can hold.
inline constexpr std::uint64_t times_end = std::uint64_t{model::timestamp_limit_ms} + 1;
/// The class of a lobby that lasts from the first to the last time that a store can hold.
inline constexpr int longest_class = std::bit_width(times_end - 1) - 1;

/// Which lobbies of a duration class may have been alive in a span: they start after `after` and
/// before `end`, and stop after `begin` or start no earlier. Milliseconds since 1970.
struct class_span {
  std::int64_t after = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A lobby of class k lasts less than 2^(k+1) ms, so one that is alive after the span begins starts
/// less than that before the begin. A running one was alive in every span that ends after its
/// start.
inline class_span span_of_class(const model::time_span& span, int duration_class) noexcept {
  const auto clamped = [](std::uint64_t time) { // all later times are equivalent
    return static_cast<std::int64_t>(std::min(time, times_end));
  };
  if (duration_class == model::running_class) return {-1, 0, clamped(span.end)};
  const auto begin = clamped(span.begin);
  return {begin - (std::int64_t{1} << (duration_class + 1)), begin, clamped(span.end)};
}

/// A lobby of the table `lobbies`, without its attributes.
struct lobby_row {
  std::int64_t start_ts = 0;
  model::uuid lobby_id;
  std::optional<std::int64_t> stop_ts;
  /// The row of its attributes in `lobby_kinds`.
  std::int64_t kind = 0;
};

/// The remaining lobbies of a duration class, ordered by start, then by id.
class lobby_cursor {
public:
  virtual ~lobby_cursor() = default;

  /// Reads the next lobby; returns false at the end. Throws like the connection.
  virtual bool next(lobby_row& into) = 0;
};

/// Passes the lobbies of all cursors to `to.take`, ordered by start, then by id, until it returns
/// false. Throws `cancelled` if `to.stop` returns true, or like the connection.
void merge_lobbies(sql_connection& on, std::span<lobby_cursor* const> cursors,
                   model::csv_dialect as, const history_reader& to);

} // namespace matchcloud::store
