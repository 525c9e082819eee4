#include "store/sqlite/sqlite_lobby_history.hpp"

#include "model/lobbies/lobby.hpp"
#include "store/class_span.hpp"
#include "store/sql/sql_session.hpp"

namespace matchcloud::store {

namespace {

constexpr auto reading_lobbies = "read the lobby history";

} // namespace

sqlite_lobby_history::sqlite_lobby_history(sqlite_connection& on)
    : on_{&on}, next_class_{on.prepare(next_class_sql, reading_lobbies)} {}

void sqlite_lobby_history::read(const model::export_query& query, const base::clock& clock,
                                const history_reader& to) {
  // Never committed, because nothing is written.
  const auto reading = sql_transaction::read(*on_, reading_lobbies);
  struct closing {
    sqlite_lobby_history* of;
    ~closing() { of->close_cursors(); }
  };
  const closing at_end{this};
  const cancellation asks{*on_, to.stop};
  begin_history(*on_, query.game_id, clock, to);
  if (query.span.begin < query.span.end)
    merge_lobbies(*on_, open_cursors(query), query.dialect, to);
}

std::uint64_t sqlite_lobby_history::steps() const noexcept {
  std::uint64_t sum = next_class_.steps();
  for (const auto& each : cursors_)
    sum += each->rows.steps();
  return sum;
}

std::vector<lobby_cursor*> sqlite_lobby_history::open_cursors(const model::export_query& query) {
  std::vector<lobby_cursor*> opened;
  auto found = next_class(query.game_id, model::running_class - 1);
  for (; found; found = next_class(query.game_id, *found))
    opened.push_back(&open_cursor(opened.size(), query, *found));
  return opened;
}

std::optional<int> sqlite_lobby_history::next_class(const model::uuid& game_id, int after) {
  std::optional<int> found;
  if (next_class_.bind(game_id.bytes).bind(std::int64_t{after}).step())
    found = static_cast<int>(next_class_.integer(0));
  next_class_.reset();
  if (found > longest_class) throw on_->failure(reading_lobbies, "a duration class is impossible");
  return found;
}

sqlite_lobby_history::cursor& sqlite_lobby_history::open_cursor(std::size_t number,
                                                                const model::export_query& query,
                                                                int duration_class) {
  if (number == cursors_.size())
    cursors_.push_back(std::make_unique<cursor>(on_->prepare(class_lobbies_sql, reading_lobbies)));
  auto& opened = *cursors_[number];
  const auto span = span_of_class(query.span, duration_class);
  opened.rows.bind(query.game_id.bytes).bind(std::int64_t{duration_class});
  opened.rows.bind(span.after).bind(span.end).bind(span.begin);
  return opened;
}

bool sqlite_lobby_history::cursor::next(lobby_row& into) {
  if (!rows.step()) return false;
  into = {rows.integer(0), rows.uuid(1), std::nullopt, rows.integer(3)};
  if (!rows.is_null(2)) into.stop_ts = rows.integer(2);
  return true;
}

void sqlite_lobby_history::close_cursors() noexcept {
  for (auto& each : cursors_)
    each->rows.reset();
  next_class_.reset();
}

} // namespace matchcloud::store
