#pragma once

#include "model/lobbies/export_query.hpp"
#include "store/lobby_history.hpp"
#include "store/sql/sql.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace matchcloud::store {

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
