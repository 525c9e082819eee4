#include "store/backup/row_checks.hpp"

#include "model/lobbies/lobby.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace matchcloud::store {

namespace {

struct foreign_key {
  std::string_view table;
  std::string_view column;
  /// The table whose first column has the key.
  std::string_view into;
};

constexpr std::array foreign_keys{
    foreign_key{"namespaces", "game_id", "games"},
    foreign_key{"namespace_domains", "namespace_id", "namespaces"},
    foreign_key{"namespace_regions", "namespace_id", "namespaces"},
    foreign_key{"namespace_regions", "region_id", "regions"},
    foreign_key{"avatars", "game_id", "games"},
    foreign_key{"lobby_kinds", "namespace_id", "namespaces"},
    foreign_key{"lobby_kinds", "region_id", "regions"},
    foreign_key{"lobbies", "game_id", "games"},
    foreign_key{"lobbies", "kind", "lobby_kinds"},
};

int column_of(const copied_table& table, std::string_view name) {
  const auto at = std::ranges::find(table.columns, name, &copied_column::name);
  return static_cast<int>(at - table.columns.begin());
}

/// The bytes of a value, as a key. `digits` holds them if they are not in the row.
std::string_view key_at(sql_row& row, int column, column_type type, std::array<char, 24>& digits) {
  switch (type) {
  case column_type::integer: {
    const auto end = std::to_chars(digits.begin(), digits.end(), row.integer(column)).ptr;
    return {digits.data(), static_cast<std::size_t>(end - digits.data())};
  }
  case column_type::uuid: {
    const auto id = row.uuid(column);
    return {digits.data(), static_cast<std::size_t>(
                               std::ranges::copy(id.bytes, digits.begin()).out - digits.begin())};
  }
  default: return row.text(column);
  }
}

std::string shown(sql_row& row, int column, column_type type) {
  switch (type) {
  case column_type::integer: return std::to_string(row.integer(column));
  case column_type::uuid: return model::to_string(row.uuid(column));
  default: return std::string{row.text(column)};
  }
}

} // namespace

row_checks::row_checks() {
  for (const auto& each : foreign_keys)
    keys_.try_emplace(each.into);
}

void row_checks::begin(const copied_table& table) {
  table_ = &table;
  const auto own = keys_.find(table.name);
  own_ = own == keys_.end() ? nullptr : &own->second;
  references_.clear();
  for (const auto& each : foreign_keys)
    if (each.table == table.name)
      references_.push_back(
          {column_of(table, each.column), &keys_.at(each.into), each.column, each.into});
  is_lobbies_ = table.name == "lobbies";
  if (is_lobbies_)
    lobby_ = {column_of(table, "start_ts"), column_of(table, "stop_ts"),
              column_of(table, "duration_class")};
}

void row_checks::look(sql_row& row) {
  std::array<char, 24> digits{};
  const auto& columns = table_->columns;
  if (table_->name == "erasures") erased_.insert(row.uuid(column_of(*table_, "game_id")));
  if (own_ != nullptr) own_->emplace(key_at(row, 0, columns[0].type, digits));
  for (const auto& each : references_) {
    const auto type = columns[static_cast<std::size_t>(each.column)].type;
    if (each.into->contains(key_at(row, each.column, type, digits))) continue;
    note(std::string{each.name}.append(" is in no row of ").append(each.of), row);
  }
  if (is_lobbies_) check_duration(row);
}

void row_checks::check_duration(sql_row& row) {
  model::lobby_times times{row.integer(lobby_.start), {}};
  if (!row.is_null(lobby_.stop)) times.stop_ts = row.integer(lobby_.stop);
  if (times.stop_ts && *times.stop_ts < times.start_ts)
    note("stop_ts is before start_ts", row);
  else if (row.integer(lobby_.duration_class) != model::duration_class(times))
    note("duration_class is not the one of start_ts and stop_ts, so exports miss the lobby", row);
}

void row_checks::note(const std::string& mistake, sql_row& row) {
  auto& noted = mistakes_[std::string{table_->name}.append(": ").append(mistake)];
  if (noted.rows++ > 0) return;
  for (std::size_t part = 0; part < table_->key_size; ++part)
    noted.first.append(part == 0 ? "" : " ")
        .append(shown(row, static_cast<int>(part), table_->columns[part].type));
}

std::optional<image_key> row_checks::image_of(sql_row& row) const {
  if (table_->name != "avatars") return std::nullopt;
  // Its images are removed before its rows.
  if (erased_.contains(row.uuid(column_of(*table_, "game_id")))) return std::nullopt;
  image_key key;
  const auto digest = row.blob(column_of(*table_, "image_digest"));
  if (digest.size() != key.name.digest.size()) return std::nullopt;
  std::ranges::copy(digest, key.name.digest.begin());
  const auto type = row.integer(column_of(*table_, "image_type"));
  key.name.type = type == 0 ? model::image_type::png : model::image_type::jpeg;
  key.upload_id = row.uuid(column_of(*table_, "upload_id"));
  return key;
}

findings row_checks::found() const {
  findings all;
  for (const auto& [mistake, each] : mistakes_)
    all.push_back({finding::kind::damaged, mistake.substr(0, mistake.find(':')),
                   mistake.substr(mistake.find(':') + 2) + " in " + std::to_string(each.rows) +
                       (each.rows == 1 ? " row: " : " rows, the first: ") + each.first});
  return all;
}

} // namespace matchcloud::store
