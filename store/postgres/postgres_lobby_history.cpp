#include "store/postgres/postgres_lobby_history.hpp"

#include "model/lobbies/lobby.hpp"
#include "store/class_span.hpp"
#include "store/sql/lobby_cursors.hpp"
#include "store/sql/sql_session.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr auto reading_lobbies = "read the lobby history";

} // namespace

class postgres_lobby_history::cursor final : public lobby_cursor {
public:
  /// Opens the cursor and asks for its first lobbies. `stop` is called while waiting for them.
  cursor(postgres_connection& on, const std::string& name, const model::export_query& query,
         int duration_class, const std::function<bool()>& stop)
      : on_{&on},
        stop_{&stop},
        fetch_{"FETCH " + std::to_string(fetched_at_once) + " FROM " + name},
        take_{[this](binary_rows rows) {
          coming_ = std::move(rows);
          is_answered_ = true;
        }} {
    static const postgres_connection::take_rows ignore;
    const auto span = span_of_class(query.span, duration_class);
    const auto begin = std::to_string(span.begin);
    // Safe without parameters: made only of numbers and an id.
    const auto declare =
        "DECLARE " + name +
        " BINARY NO SCROLL CURSOR FOR SELECT start_ts, lobby_id, stop_ts, kind FROM lobbies "
        "WHERE game_id = '" +
        to_string(query.game_id) + "' AND duration_class = " + std::to_string(duration_class) +
        " AND start_ts > " + std::to_string(span.after) + " AND start_ts < " +
        std::to_string(span.end) + " AND (stop_ts > " + begin + " OR start_ts >= " + begin +
        ") ORDER BY start_ts, lobby_id";
    on_->send(declare, reading_lobbies, ignore);
    ask();
  }
  cursor(const cursor&) = delete;
  cursor& operator=(const cursor&) = delete;

  bool next(lobby_row& into) override {
    if (++row_ >= here_.size() && !receive()) return false;
    into = {here_.integer(row_, 0), here_.uuid(row_, 1), std::nullopt, here_.integer(row_, 3)};
    if (!here_.is_null(row_, 2)) into.stop_ts = here_.integer(row_, 2);
    return true;
  }

private:
  void ask() {
    is_asked_ = true;
    is_answered_ = false;
    on_->send(fetch_, reading_lobbies, take_);
  }
  /// Waits for what was asked for, and asks for what follows. Returns whether there is a lobby.
  bool receive() {
    if (!is_asked_) return false;
    while (!is_answered_)
      on_->receive(*stop_);
    here_ = std::move(coming_);
    row_ = 0;
    is_asked_ = false;
    if (here_.size() == fetched_at_once) ask();
    return here_.size() > 0;
  }

  postgres_connection* on_;
  const std::function<bool()>* stop_;
  std::string fetch_;
  binary_rows here_;
  int row_ = 0;
  binary_rows coming_;
  /// Whether a result is on its way or in `coming_`.
  bool is_asked_ = false;
  bool is_answered_ = false;
  postgres_connection::take_rows take_;
};

void postgres_lobby_history::read(const model::export_query& query, const base::clock& clock,
                                  const history_reader& to) {
  // Never committed, because nothing is written.
  const auto reading = sql_transaction::read(*on_, reading_lobbies);
  begin_history(*on_, query.game_id, clock, to);
  if (query.span.begin >= query.span.end) return;
  try {
    merge(query, to);
  } catch (const base::failure& failed) {
    if (!on_->ran_out_of_time()) throw;
    throw base::failure{base::errc::history_too_slow, failed.why().detail};
  }
}

std::vector<int> postgres_lobby_history::find_classes(const model::export_query& query) {
  // A bare `duration_class` after the first ORDER BY would be the result's bigint column, which has
  // no index.
  static constexpr sql_command classes{
      "WITH RECURSIVE classes (class) AS ((SELECT duration_class::bigint FROM lobbies "
      "WHERE game_id = $1 ORDER BY lobbies.duration_class LIMIT 1) UNION ALL SELECT "
      "(SELECT duration_class FROM lobbies WHERE game_id = $1 AND duration_class > class "
      "ORDER BY lobbies.duration_class LIMIT 1) FROM classes WHERE class IS NOT NULL) "
      "SELECT class FROM classes WHERE class IS NOT NULL",
      reading_lobbies};
  return on_->all(classes, {query.game_id},
                  [](sql_row& row) { return static_cast<int>(row.integer(0)); });
}

void postgres_lobby_history::merge(const model::export_query& query, const history_reader& to) {
  // The index has the order of the export; without statistics the planner might sort. The reader of
  // the lobbies may pause, because it writes them to a disk at the lowest priority. If the table is
  // locked, the reading ends before the statement timeout, because that is not a slow history.
  static constexpr sql_command plan{
      "SELECT set_config('enable_seqscan', 'off', true), "
      "set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), "
      "set_config('idle_in_transaction_session_timeout', '5min', true), "
      "set_config('lock_timeout', $1, true)",
      reading_lobbies};
  on_->run(plan, {std::to_string(on_->statement_timeout().count() / 2)});
  // At stable addresses, because results are written to them.
  std::vector<std::unique_ptr<cursor>> cursors;
  std::vector<lobby_cursor*> all;
  for (const auto found : find_classes(query)) {
    if (found > longest_class)
      throw on_->failure(reading_lobbies, "a duration class is impossible");
    const auto name = "class_" + std::to_string(cursors.size());
    cursors.push_back(std::make_unique<cursor>(*on_, name, query, found, to.stop));
    all.push_back(cursors.back().get());
  }
  merge_lobbies(*on_, all, query.dialect, to);
}

} // namespace matchcloud::store
