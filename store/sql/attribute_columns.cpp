#include "store/sql/attribute_columns.hpp"

#include "model/lobbies/lobby_csv.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

/// The overhead of a cache entry besides its characters.
constexpr std::size_t entry_bytes = 128;

} // namespace

void attribute_columns::put(std::int64_t kind, std::string columns) {
  const auto bytes = columns.size() + entry_bytes;
  recent_ = {};
  all_.put(kind, std::move(columns), bytes);
}

const std::string& attribute_columns::read(sql_connection& on, std::int64_t kind) {
  const auto columns = on.first(attribute_columns_query, {kind}, [this](sql_row& row) {
    const model::lobby_attributes found{row.uuid(0),
                                        row.uuid(1),
                                        std::string{row.text(2)},
                                        std::string{row.text(3)},
                                        std::string{row.text(4)},
                                        std::string{row.text(5)}};
    return model::csv_attribute_columns(found, row.text(6), row.text(7), dialect_);
  });
  if (!columns) throw on.failure(attribute_columns_query.operation, "a kind of lobby is missing");
  put(kind, *columns);
  if (const auto* kept = get(kind)) return *kept;
  throw on.failure(attribute_columns_query.operation, "a kind of lobby is too large");
}

} // namespace matchcloud::store
