#include "store/sqlite/sqlite_lobby_history.hpp"

#include "model/lobbies/lobby.hpp"
#include "store/class_span.hpp"
#include "store/sql/attribute_columns.hpp"
#include "store/sql/sql_session.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr auto reading_lobbies = "read the lobby history";

} // namespace

base::expected<void> sqlite_lobby_history::read(const model::export_query& query,
                                                const base::clock& clock,
                                                const history_reader& to) {
  if (auto prepared = prepare(); !prepared) return prepared;
  // Never committed, because nothing is written.
  const auto reading = sql_transaction::read(*on_, reading_lobbies);
  if (!reading) return tl::unexpected(reading.error());
  struct closing {
    sqlite_lobby_history* of;
    ~closing() { of->close_cursors(); }
  };
  const closing at_end{this};
  const cancellation asks{*on_, to.stop};

  if (auto begun = begin_history(*on_, query.game_id, clock, to); !begun) return begun;
  if (query.span.begin >= query.span.end) return {};
  if (auto opened = open_cursors(query); !opened) return opened;
  return merge(query.dialect, to);
}

std::uint64_t sqlite_lobby_history::steps() const noexcept {
  std::uint64_t sum = next_class_ ? next_class_->steps() : 0;
  for (const auto& each : cursors_)
    sum += each.rows.steps();
  return sum;
}

base::expected<void> sqlite_lobby_history::prepare() {
  if (next_class_) return {};
  auto prepared = on_->prepare(next_class_sql, reading_lobbies);
  if (!prepared) return tl::unexpected(prepared.error());
  next_class_ = *std::move(prepared);
  return {};
}

base::expected<void> sqlite_lobby_history::open_cursors(const model::export_query& query) {
  auto duration_class = next_class(query.game_id, model::running_class - 1);
  for (std::size_t number = 0; duration_class && *duration_class; ++number) {
    if (auto opened = open_cursor(number, query, **duration_class); !opened) return opened;
    duration_class = next_class(query.game_id, **duration_class);
  }
  if (!duration_class) return tl::unexpected(duration_class.error());
  std::sort(next_.begin(), next_.end()); // a sorted range is a heap, too
  return {};
}

base::expected<std::optional<int>> sqlite_lobby_history::next_class(const model::uuid& game_id,
                                                                    int after) {
  const auto row = next_class_->bind(game_id.bytes).bind(std::int64_t{after}).step();
  if (!row) return tl::unexpected(row.error());
  std::optional<int> found;
  if (*row) found = static_cast<int>(next_class_->integer(0));
  next_class_->reset();
  if (found > longest_class) return on_->failure(reading_lobbies, "a duration class is impossible");
  return found;
}

base::expected<void> sqlite_lobby_history::open_cursor(std::size_t number,
                                                       const model::export_query& query,
                                                       int duration_class) {
  if (number == cursors_.size()) {
    auto prepared = on_->prepare(class_lobbies_sql, reading_lobbies);
    if (!prepared) return tl::unexpected(prepared.error());
    cursors_.push_back({*std::move(prepared)});
  }
  auto& opened = cursors_[number];
  opened.is_running = duration_class == model::running_class;
  opened.rows.bind(query.game_id.bytes).bind(std::int64_t{duration_class});
  const auto span = span_of_class(query.span, duration_class);
  opened.rows.bind(span.after).bind(span.end).bind(span.begin);
  const auto row = opened.rows.step();
  if (!row) return tl::unexpected(row.error());
  if (*row) next_.push_back({opened.rows.integer(0), opened.rows.uuid(1), number});
  return {};
}

base::expected<void> sqlite_lobby_history::merge(model::csv_dialect as, const history_reader& to) {
  attribute_columns known{as};
  model::history_lobby lobby;
  while (!next_.empty()) {
    auto& from = cursors_[next_.front().from];
    lobby.lobby_id = next_.front().lobby_id;
    lobby.times.start_ts = next_.front().start_ts;
    lobby.times.stop_ts.reset();
    if (!from.is_running) lobby.times.stop_ts = from.rows.integer(2);
    const auto columns = known.of(*on_, from.rows.integer(3));
    if (!columns) return tl::unexpected(columns.error());
    lobby.attribute_columns = *columns;
    if (!to.take(lobby)) return {};
    if (auto advanced = advance(); !advanced) return advanced;
  }
  return {};
}

base::expected<void> sqlite_lobby_history::advance() {
  auto& least = next_.front();
  auto& rows = cursors_[least.from].rows;
  const auto row = rows.step();
  if (!row) return tl::unexpected(row.error());
  if (*row) {
    least.start_ts = rows.integer(0);
    least.lobby_id = rows.uuid(1);
  } else {
    least = next_.back();
    next_.pop_back();
  }
  sift_down();
  return {};
}

void sqlite_lobby_history::sift_down() noexcept {
  std::size_t at = 0;
  while (true) {
    auto child = 2 * at + 1;
    if (child >= next_.size()) return;
    if (child + 1 < next_.size() && next_[child + 1] < next_[child]) ++child;
    if (!(next_[child] < next_[at])) return;
    std::swap(next_[child], next_[at]);
    at = child;
  }
}

void sqlite_lobby_history::close_cursors() noexcept {
  next_.clear();
  for (auto& each : cursors_)
    each.rows.reset();
  next_class_->reset();
}

} // namespace matchcloud::store
