#include "store/sql/attribute_columns.hpp"

#include "model/lobbies/lobby_csv.hpp"

#include <optional>
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

base::expected<const std::string*> attribute_columns::read(sql_connection& on, std::int64_t kind) {
  std::optional<std::string> columns;
  auto done = for_each_row(on, attribute_columns_query, {kind}, [&](sql_row& row) {
    const model::lobby_attributes found{row.uuid(0),
                                        row.uuid(1),
                                        std::string{row.text(2)},
                                        std::string{row.text(3)},
                                        std::string{row.text(4)},
                                        std::string{row.text(5)}};
    columns = model::csv_attribute_columns(found, row.text(6), row.text(7), dialect_);
  });
  if (!done) return tl::unexpected(done.error());
  if (!columns) return on.failure(attribute_columns_query.operation, "a kind of lobby is missing");
  put(kind, *std::move(columns));
  if (const auto* kept = get(kind)) return kept;
  return on.failure(attribute_columns_query.operation, "a kind of lobby is too large");
}

} // namespace matchcloud::store
