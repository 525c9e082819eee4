#include "store/sqlite/sqlite_lobbies.hpp"

#include "model/lobbies/lobby.hpp"
#include "store/sql/lobby_rows.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"

#include <utility>

namespace matchcloud::store {

namespace {

/// The number of rows between checks of the time.
constexpr std::size_t look_interval = 16;

double nanoseconds_since(base::steady_time begun) {
  return std::chrono::duration<double, std::nano>(base::machine_clock().now() - begun).count();
}

} // namespace

lobby_merge sqlite_lobbies::merge(lobby_batch records,
                                  const model::lobby_attributes_table& attributes,
                                  audit_table& audit) {
  if (records.empty()) return {};
  auto changes = sql_transaction::write(*on_, std::nullopt, "write lobbies");
  const auto begun = base::machine_clock().now();
  audit.begin();
  look_for_erasures();
  attributes_.begin_batch(attributes);
  moved_games_.clear();
  try {
    auto merged = merge_front(records, begun);
    if (merged.accepted == 0) return merged;
    commit(changes, merged.accepted, audit);
    merged.lasted = base::machine_clock().now() - begun;
    // Parts of the log that other connections still read stay for the next checkpoint.
    if (on_->log_pages() * sqlite_page_bytes >= bulk_log_bytes) on_->checkpoint(false);
    return merged;
  } catch (...) {
    attributes_.forget(); // rows added by this transaction may be gone
    throw;
  }
}

void sqlite_lobbies::look_for_erasures() {
  static constexpr sql_command query{"SELECT count(*) FROM erasures", "look for erased games"};
  const auto count = on_->number(query);
  if (std::exchange(known_erasures_, count) != count) attributes_.forget();
}

lobby_merge sqlite_lobbies::merge_front(lobby_batch records, base::steady_time begun) {
  using namespace std::chrono;
  const double target_ns = duration<double, std::nano>(merge_transaction_target).count();
  lobby_merge result;
  for (const auto& each : records) {
    if (result.taken > 0 && result.taken % look_interval == 0 &&
        nanoseconds_since(begun) + static_cast<double>(result.accepted) * commit_ns_per_row_ >=
            target_ns)
      break;
    count(merge_one(each), result);
  }
  return result;
}

void sqlite_lobbies::count(outcome became, lobby_merge& in) const {
  in.accepted += became == outcome::accepted ? 1 : 0;
  in.unchanged += became == outcome::unchanged ? 1 : 0;
  if (became == outcome::rejected) in.rejected.push_back({in.taken, attributes_.finding()});
  ++in.taken;
}

void sqlite_lobbies::commit(sql_transaction& changes, std::size_t rows, audit_table& audit) {
  for (const auto& game_id : moved_games_)
    move_game_revision(*on_, sql_subject::lobbies, game_id);
  audit.write(*on_, {model::audit_action::lobbies_import, {}, {}, {}});
  const auto begun = base::machine_clock().now();
  audit.commit(changes);
  // Follows a disk that becomes slower at once and one that becomes faster gradually.
  const double now = nanoseconds_since(begun) / static_cast<double>(rows);
  commit_ns_per_row_ = now > commit_ns_per_row_ ? now : 0.7 * commit_ns_per_row_ + 0.3 * now;
}

sqlite_lobbies::outcome sqlite_lobbies::merge_one(const model::lobby_record& each) {
  const auto* kind = attributes_.resolve(each.attributes);
  if (kind == nullptr) return outcome::rejected;
  if (kind->row == 0) {
    // These attributes have no row, so a lobby stored under this id has other attributes.
    if (const auto known = find(each.lobby_id)) return reject(each, known->kind_row);
    attributes_.add(each.attributes);
  }
  const auto& [row, game_id] = *kind;
  if (insert(game_id, each.lobby_id, each.times, row)) {
    moved_games_.insert(game_id);
    return outcome::accepted;
  }
  const auto known = find(each.lobby_id);
  if (!known) throw on_->failure("write a lobby", "its id is taken but cannot be found");
  if (known->kind_row != row) return reject(each, known->kind_row);
  return merge_into(*known, each);
}

sqlite_lobbies::outcome sqlite_lobbies::merge_into(const stored_lobby& known,
                                                   const model::lobby_record& each) {
  const auto merged = model::merge(known.times, each.times);
  if (merged == known.times) return outcome::unchanged;
  remove(known, each.lobby_id);
  if (!insert(known.game_id, each.lobby_id, merged, known.kind_row))
    throw on_->failure("replace a lobby", "it is still there");
  moved_games_.insert(known.game_id);
  return outcome::accepted;
}

sqlite_lobbies::outcome sqlite_lobbies::reject(const model::lobby_record& each,
                                               std::int64_t known_row) {
  attributes_.refuse(each, known_row);
  return outcome::rejected;
}

lobby_engine::known_lobbies sqlite_lobbies::find_known(lobby_batch records) {
  known_lobbies all;
  for (const auto& each : records)
    if (const auto known = find(each.lobby_id))
      all.insert_or_assign(each.lobby_id, known_lobby{known->times, known->kind_row});
  return all;
}

std::optional<sqlite_lobbies::stored_lobby> sqlite_lobbies::find(const model::uuid& lobby_id) {
  static constexpr sql_command query{
      "SELECT game_id, start_ts, stop_ts, kind FROM lobbies WHERE lobby_id = $1",
      "look for a lobby"};
  return on_->first(query, {lobby_id}, [](sql_row& row) {
    return stored_lobby{row.uuid(0), {row.integer(1), row.optional_integer(2)}, row.integer(3)};
  });
}

bool sqlite_lobbies::insert(const model::uuid& game_id, const model::uuid& lobby_id,
                            const model::lobby_times& times, std::int64_t kind_row) {
  static constexpr sql_command insert{
      "INSERT INTO lobbies (game_id, duration_class, start_ts, lobby_id, stop_ts, kind) "
      "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
      "write a lobby"};
  return on_->count_changes(insert, {game_id, model::duration_class(times), times.start_ts,
                                     lobby_id, times.stop_ts, kind_row}) == 1;
}

void sqlite_lobbies::remove(const stored_lobby& known, const model::uuid& lobby_id) {
  static constexpr sql_command remove{
      "DELETE FROM lobbies WHERE game_id = $1 AND duration_class = $2 AND start_ts = $3 AND "
      "lobby_id = $4",
      "replace a lobby"};
  on_->run(remove,
           {known.game_id, model::duration_class(known.times), known.times.start_ts, lobby_id});
}

namespace {

/// Below all duration classes.
constexpr std::int64_t no_class = -2;

} // namespace

void sqlite_lobbies::merge_history(const model::export_query& query, const history_reader& to) {
  struct closing {
    sqlite_lobbies* of;
    ~closing() { of->close_cursors(); }
  };
  const closing at_end{this};
  const cancellation asks{*on_, to.stop};
  merge_lobbies(*on_, open_cursors(query), query.dialect, to);
}

std::uint64_t sqlite_lobbies::steps() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& each : cursors_)
    sum += each->rows.steps();
  return sum;
}

std::vector<lobby_cursor*> sqlite_lobbies::open_cursors(const model::export_query& query) {
  std::vector<lobby_cursor*> opened;
  auto found = next_class(query.game_id, model::running_class - 1);
  for (; found; found = next_class(query.game_id, *found))
    opened.push_back(&open_cursor(opened.size(), query, *found));
  return opened;
}

std::optional<int> sqlite_lobbies::next_class(const model::uuid& game_id, int after) {
  static constexpr sql_command query{next_class_sql, reading_history};
  const auto found = on_->number(query, {game_id, after}, no_class);
  if (found > longest_class) throw on_->failure(reading_history, "a duration class is impossible");
  return found == no_class ? std::nullopt : std::optional{static_cast<int>(found)};
}

sqlite_lobbies::cursor& sqlite_lobbies::open_cursor(std::size_t number,
                                                    const model::export_query& query,
                                                    int duration_class) {
  if (number == cursors_.size())
    cursors_.push_back(std::make_unique<cursor>(on_->prepare(class_lobbies_sql, reading_history)));
  auto& opened = *cursors_[number];
  opened.is_running = duration_class == model::running_class;
  const auto span = span_of_class(query.span, duration_class);
  opened.rows.bind(query.game_id.bytes).bind(std::int64_t{duration_class});
  opened.rows.bind(span.after).bind(span.end).bind(span.begin);
  return opened;
}

bool sqlite_lobbies::cursor::next(lobby_row& into) {
  if (!rows.step()) return false;
  into = {rows.integer(0), rows.uuid(1), std::nullopt, rows.integer(3)};
  if (!is_running) into.stop_ts = rows.integer(2);
  return true;
}

void sqlite_lobbies::close_cursors() noexcept {
  for (auto& each : cursors_)
    each->rows.reset();
}

} // namespace matchcloud::store
