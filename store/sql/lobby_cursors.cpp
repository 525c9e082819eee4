#include "store/sql/lobby_cursors.hpp"

#include "store/sql/lobby_attributes.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// How many lobbies are merged between two calls of `stop`.
constexpr int stop_look_interval = 1'024;

/// A cursor and its next lobby.
struct entry {
  lobby_row row;
  lobby_cursor* from = nullptr;
};

bool is_later(const entry& a, const entry& b) noexcept {
  return std::tie(a.row.start_ts, a.row.lobby_id) > std::tie(b.row.start_ts, b.row.lobby_id);
}

} // namespace

void merge_lobbies(sql_connection& on, std::span<lobby_cursor* const> cursors,
                   model::csv_dialect as, const history_reader& to) {
  std::vector<entry> next; // a heap, the earliest first
  for (auto* const from : cursors) {
    entry each{{}, from};
    if (from->next(each.row)) next.push_back(each);
  }
  std::make_heap(next.begin(), next.end(), is_later);
  attribute_columns known{as};
  model::history_lobby lobby;
  for (int merged = 1; !next.empty(); ++merged) {
    if (merged % stop_look_interval == 0 && to.stop && to.stop())
      throw base::failure{base::errc::cancelled, "the export was given up"};
    std::pop_heap(next.begin(), next.end(), is_later);
    auto& [row, from] = next.back();
    lobby.lobby_id = row.lobby_id;
    lobby.times = {row.start_ts, row.stop_ts};
    lobby.attribute_columns = &known.of(on, row.kind);
    if (!to.take(lobby)) return;
    if (from->next(row))
      std::push_heap(next.begin(), next.end(), is_later);
    else
      next.pop_back();
  }
}

} // namespace matchcloud::store
