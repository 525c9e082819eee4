#include "store/backup/row_checks.hpp"

#include "model/lobbies/lobby.hpp"
#include "store/copy/copied_tables.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace matchcloud::store {

namespace {

std::string shown(sql_row& row, int column, sql_type type) {
  switch (type) {
  case sql_type::integer: return std::to_string(row.integer(column));
  case sql_type::uuid: return model::to_string(row.uuid(column));
  default: return row.string(column);
  }
}

/// Looks at rows in the order of `copied_tables`.
class row_checks {
public:
  explicit row_checks(store_rows& into) : into_{&into} {
    for (const auto& table : copied_tables())
      for (const auto& each : table.columns)
        if (!each.into.empty()) keys_.try_emplace(each.into);
  }

  void begin(const copied_table& table) { table_ = &table; }

  void look(sql_row& row) {
    if (const auto own = keys_.find(table_->name); own != keys_.end())
      own->second.insert(shown(row, 0, table_->columns.front().type));
    int column = 0;
    for (const auto& each : table_->columns) {
      if (!each.into.empty() && !keys_.at(each.into).contains(shown(row, column, each.type)))
        note(fmt::format("{} is in no row of {}", each.name, each.into), row);
      ++column;
    }
    if (table_->name == "lobbies") look_at_lobby(row);
    if (table_->name == "avatars") look_at_avatar(row);
    if (table_->name == "erasures") erased_.insert(row.uuid(at("game_id")));
  }

  /// Adds the mistakes.
  void end() {
    for (const auto& [mistake, each] : mistakes_)
      into_->found.push_back({finding::kind::contradictory, mistake.first,
                              fmt::format("{} in {} row{}: {}", mistake.second, each.rows,
                                          each.rows == 1 ? "" : "s, the first", each.first)});
  }

private:
  /// Mistakes of one kind.
  struct mistakes {
    std::uint64_t rows = 0;
    /// The key of the first one.
    std::string first;
  };

  int at(std::string_view column) const {
    const auto found = std::ranges::find(table_->columns, column, &copied_column::name);
    return static_cast<int>(found - table_->columns.begin());
  }

  void look_at_lobby(sql_row& row) {
    const model::lobby_times times{row.integer(at("start_ts")),
                                   row.optional_integer(at("stop_ts"))};
    if (times.stop_ts && *times.stop_ts < times.start_ts)
      note("stop_ts is before start_ts", row);
    else if (row.integer(at("duration_class")) != model::duration_class(times))
      note("duration_class is not the one of start_ts and stop_ts, so exports miss the lobby", row);
  }

  void look_at_avatar(sql_row& row) {
    image_key key;
    const auto digest = row.blob(at("image_digest"));
    if (digest.size() != key.name.digest.size() || erased_.contains(row.uuid(at("game_id"))))
      return;
    std::ranges::copy(digest, key.name.digest.begin());
    const bool is_png = row.integer(at("image_type")) == 0;
    key.name.type = is_png ? model::image_type::png : model::image_type::jpeg;
    key.upload_id = row.uuid(at("upload_id"));
    into_->images.push_back(key);
  }

  void note(const std::string& mistake, sql_row& row) {
    auto& noted = mistakes_[{std::string{table_->name}, mistake}];
    if (noted.rows++ > 0) return;
    for (std::size_t part = 0; part < table_->key_size; ++part)
      noted.first.append(part == 0 ? "" : " ")
          .append(shown(row, static_cast<int>(part), table_->columns[part].type));
  }

  store_rows* into_;
  const copied_table* table_ = nullptr;
  /// The keys of tables that others refer to.
  std::map<std::string_view, std::set<std::string>> keys_;
  std::set<model::uuid> erased_;
  /// By the table and the mistake.
  std::map<std::pair<std::string, std::string>, mistakes> mistakes_;
};

} // namespace

store_rows read_rows(sql_connection& on, const copy_watch& watch, bool keeps_on) {
  read_along_keys(on);
  store_rows all;
  row_checks checks{all};
  for (const auto& table : copied_tables()) {
    checks.begin(table);
    try {
      all.tables.push_back(
          read_table(on, table, watch, "read", [&](sql_row& row) { checks.look(row); }));
    } catch (const base::failure& failed) {
      if (!keeps_on || failed.why().code != base::errc::store_failed) throw;
      all.found.push_back({finding::kind::damaged, std::string{table.name}, failed.what()});
    }
  }
  checks.end();
  return all;
}

} // namespace matchcloud::store
