#include "store/postgres/postgres_lobby_history.hpp"

#include "model/lobbies/lobby.hpp"
#include "model/text/timestamp.hpp"
#include "store/class_span.hpp"
#include "store/sql/attribute_columns.hpp"
#include "store/sql/sql_session.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr auto reading_lobbies = "read the lobby history";
/// How many lobbies are merged between two calls of `stop`.
constexpr int stop_look_interval = 1'024;

} // namespace

base::expected<void> postgres_lobby_history::read(const model::export_query& query,
                                                  const base::clock& clock,
                                                  const history_reader& to) {
  // Never committed, because nothing is written.
  const auto reading = sql_transaction::read(*on_, reading_lobbies);
  if (!reading) return tl::unexpected(reading.error());
  if (auto begun = begin_history(*on_, query.game_id, clock, to); !begun) return begun;
  if (query.span.begin >= query.span.end) return {};
  auto done = open(query);
  if (done) done = merge(query.dialect, to);
  cursors_.clear();
  if (!done && on_->ran_out_of_time()) done.error().code = base::errc::history_too_slow;
  return done;
}

base::expected<void> postgres_lobby_history::open(const model::export_query& query) {
  // A bare `duration_class` after the first ORDER BY would be the result's bigint column, which has
  // no index.
  static constexpr sql_command classes{
      "WITH RECURSIVE classes (class) AS ((SELECT duration_class::bigint FROM lobbies "
      "WHERE game_id = $1 ORDER BY lobbies.duration_class LIMIT 1) UNION ALL SELECT "
      "(SELECT duration_class FROM lobbies WHERE game_id = $1 AND duration_class > class "
      "ORDER BY lobbies.duration_class LIMIT 1) FROM classes WHERE class IS NOT NULL) "
      "SELECT class FROM classes WHERE class IS NOT NULL",
      reading_lobbies};
  // The index has the order of the export; without statistics the planner might sort. The reader of
  // the lobbies may pause, because it writes them to a disk at the lowest priority. If the table is
  // locked, the reading ends before the statement timeout, because that is not a slow history.
  static constexpr sql_command plan{
      "SELECT set_config('enable_seqscan', 'off', true), "
      "set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), "
      "set_config('idle_in_transaction_session_timeout', '5min', true), "
      "set_config('lock_timeout', $1, true)",
      reading_lobbies};
  const auto lock_timeout = std::to_string(on_->statement_timeout().count() / 2);
  if (auto done = on_->run(plan, {lock_timeout}); !done) return done;
  std::vector<int> found;
  auto done = for_each_row(*on_, classes, {query.game_id}, [&](sql_row& row) {
    found.push_back(static_cast<int>(row.integer(0)));
  });
  for (std::size_t at = 0; done && at < found.size(); ++at)
    done = found[at] > longest_class
               ? on_->failure(reading_lobbies, "a duration class is impossible")
               : open_cursor(query, found[at]);
  return done;
}

base::expected<void> postgres_lobby_history::open_cursor(const model::export_query& query,
                                                         int duration_class) {
  static const postgres_connection::take_rows ignore;
  const auto span = span_of_class(query.span, duration_class);
  const auto begin = std::to_string(span.begin);
  const auto name = "class_" + std::to_string(cursors_.size());
  // Safe without parameters: made only of numbers and an id.
  const auto declare =
      "DECLARE " + name +
      " BINARY NO SCROLL CURSOR FOR SELECT start_ts, lobby_id, stop_ts, kind FROM lobbies "
      "WHERE game_id = '" +
      to_string(query.game_id) + "' AND duration_class = " + std::to_string(duration_class) +
      " AND start_ts > " + std::to_string(span.after) + " AND start_ts < " +
      std::to_string(span.end) + " AND (stop_ts > " + begin + " OR start_ts >= " + begin +
      ") ORDER BY start_ts, lobby_id";
  auto& made = *cursors_.emplace_back(std::make_unique<cursor>());
  made.fetch = "FETCH " + std::to_string(fetched_at_once) + " FROM " + name;
  made.take = [&made](binary_rows rows) {
    made.coming = std::move(rows);
    made.answered = true;
  };
  if (auto sent = on_->send(declare, reading_lobbies, ignore); !sent) return sent;
  return ask(made);
}

base::expected<void> postgres_lobby_history::ask(cursor& of) {
  of.asked = true;
  of.answered = false;
  return on_->send(of.fetch, reading_lobbies, of.take);
}

base::expected<bool> postgres_lobby_history::advance(cursor& of,
                                                     const std::function<bool()>& stop) {
  if (++of.row < of.here.size()) return true;
  if (!of.asked) return false;
  while (!of.answered)
    if (auto received = on_->receive(stop); !received) return tl::unexpected(received.error());
  of.here = std::move(of.coming);
  of.row = 0;
  of.asked = false;
  if (of.here.size() == fetched_at_once)
    if (auto asked = ask(of); !asked) return tl::unexpected(asked.error());
  return of.here.size() > 0;
}

base::expected<void> postgres_lobby_history::merge(model::csv_dialect as,
                                                   const history_reader& to) {
  std::vector<entry> next; // a heap, the least first
  const auto push = [&](std::size_t from) {
    const auto& rows = cursors_[from]->here;
    const int row = cursors_[from]->row;
    next.push_back({rows.integer(row, 0), rows.uuid(row, 1), from});
    std::push_heap(next.begin(), next.end(), std::greater{});
  };
  for (std::size_t from = 0; from < cursors_.size(); ++from) {
    const auto found = advance(*cursors_[from], to.stop);
    if (!found) return tl::unexpected(found.error());
    if (*found) push(from);
  }
  attribute_columns known{as};
  model::history_lobby lobby;
  for (int merged = 1; !next.empty(); ++merged) {
    if (merged % stop_look_interval == 0 && to.stop && to.stop())
      return base::fail(base::errc::cancelled, "the export was given up");
    std::pop_heap(next.begin(), next.end(), std::greater{});
    const auto least = next.back();
    next.pop_back();
    auto& from = *cursors_[least.from];
    lobby.lobby_id = least.lobby_id;
    lobby.times.start_ts = least.start_ts;
    lobby.times.stop_ts.reset();
    if (!from.here.is_null(from.row, 2)) lobby.times.stop_ts = from.here.integer(from.row, 2);
    const auto columns = known.of(*on_, from.here.integer(from.row, 3));
    if (!columns) return tl::unexpected(columns.error());
    lobby.attribute_columns = *columns;
    if (!to.take(lobby)) return {};
    const auto found = advance(from, to.stop);
    if (!found) return tl::unexpected(found.error());
    if (*found) push(least.from);
  }
  return {};
}

} // namespace matchcloud::store
