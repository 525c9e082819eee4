#pragma once

#include "store/backup/finding.hpp"
#include "store/copy/copied_tables.hpp"
#include "store/image_key.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::store {

/// Checks that rows are consistent with themselves and with the rows that they refer to. Needs the
/// tables in the order of `copied_tables`. One thread.
class row_checks {
public:
  row_checks();

  /// From now on `look` receives rows of this table.
  void begin(const copied_table& table);
  void look(sql_row& row);

  /// The image that an avatar's row refers to; nothing if the row is no avatar or has no image, or
  /// if its game is being erased.
  std::optional<image_key> image_of(sql_row& row) const;
  findings found() const;

private:
  using keys = std::set<std::string, std::less<>>;

  /// Mistakes of one kind.
  struct mistakes {
    std::uint64_t rows = 0;
    /// The key of the first one.
    std::string first;
  };
  struct reference {
    int column = 0;
    const keys* into = nullptr;
    std::string_view name;
    std::string_view of;
  };

  struct lobby_columns {
    int start = 0;
    int stop = 0;
    int duration_class = 0;
  };

  void check_duration(sql_row& row);
  void note(const std::string& mistake, sql_row& row);

  /// The keys of tables that others refer to.
  std::map<std::string_view, keys> keys_;
  std::map<std::string, mistakes> mistakes_;
  std::set<model::uuid> erased_;
  // Of the current table.
  const copied_table* table_ = nullptr;
  keys* own_ = nullptr;
  std::vector<reference> references_;
  bool is_lobbies_ = false;
  lobby_columns lobby_;
};

} // namespace matchcloud::store
