#pragma once

#include "base/second_chance_cache.hpp"
#include "model/lobbies/export_query.hpp"
#include "store/sql/sql.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace matchcloud::store {

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
