#pragma once

#include "model/text/uuid.hpp"
#include "store/sqlite/sqlite.hpp"

#include <algorithm>
#include <string_view>

namespace matchcloud::store {

/// Calls `take(row)` for each row of a bound statement.
template <class Take>
base::expected<void> for_each_row(statement& query, Take take) {
  while (true) {
    const auto row = query.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    take(query);
  }
}

/// Calls `take(row)` for each row of `sql`, which has no parameters.
template <class Take>
base::expected<void> for_each_row(connection& on, std::string_view sql, std::string_view operation,
                                  Take take) {
  auto query = on.prepare(sql, operation);
  if (!query) return tl::unexpected(query.error());
  return for_each_row(*query, take);
}

/// Reads a UUID; the schema guarantees that ids have sixteen bytes.
inline model::uuid read_uuid(statement& row, int column) {
  const auto blob = row.blob(column);
  model::uuid id;
  std::copy_n(blob.begin(), std::min(blob.size(), id.bytes.size()), id.bytes.begin());
  return id;
}

} // namespace matchcloud::store
