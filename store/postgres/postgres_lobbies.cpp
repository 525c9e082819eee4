#include "store/postgres/postgres_lobbies.hpp"

#include "base/clock.hpp"
#include "model/lobbies/lobby.hpp"
#include "store/sql/binary_form.hpp"
#include "store/sql/lobby_rows.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sql/sql_session.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

/// Several batches joined into one.
struct joined_parts {
  std::vector<model::lobby_record> records;
  model::lobby_attributes_table attributes;

  void add(const merge_part& part) {
    std::vector<std::optional<std::uint32_t>> numbers(part.attributes->size());
    for (auto each : part.records) {
      auto& number = numbers[each.attributes];
      if (!number) number = attributes.number_of((*part.attributes)[each.attributes]);
      each.attributes = *number;
      records.push_back(each);
    }
  }
};

} // namespace

std::vector<postgres_lobbies::round> postgres_lobbies::rounds_of(lobby_batch& records) {
  records = records.first(std::min(records.size(), merge_limit));
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return records[a].lobby_id < records[b].lobby_id;
  });
  // If a lobby has more reports than a transaction takes, the transaction ends before the first
  // extra one.
  std::vector<round> rounds;
  std::size_t taken = records.size();
  std::size_t nth = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const bool is_same = at > 0 && records[order[at]].lobby_id == records[order[at - 1]].lobby_id;
    nth = is_same ? nth + 1 : 0;
    if (nth >= reports_limit) {
      taken = std::min(taken, order[at]);
      continue;
    }
    if (rounds.size() <= nth) rounds.resize(nth + 1);
    rounds[nth].push_back(order[at]);
  }
  records = records.first(taken);
  for (auto& each : rounds)
    std::erase_if(each, [taken](std::size_t number) { return number >= taken; });
  return rounds;
}

lobby_merge postgres_lobbies::merge(lobby_batch records,
                                    const model::lobby_attributes_table& attributes,
                                    audit_table& audit) {
  if (records.empty()) return {};
  author_list author{{records.size(), audit}};
  const auto lasted = merge_front(records, attributes, author);
  auto merged = summary(records);
  if (merged.accepted > 0) merged.lasted = lasted;
  return merged;
}

void postgres_lobbies::merge_together(std::span<merge_part> parts) {
  while (!parts.empty())
    parts = parts.subspan(merge_parts(parts));
}

std::size_t postgres_lobbies::merge_parts(std::span<merge_part> parts) {
  joined_parts all;
  author_list authors;
  for (const auto& each : parts) {
    all.add(each);
    authors.push_back({all.records.size(), audit_of(each)});
  }
  lobby_batch records{all.records};
  (void)rounds_of(records);
  // Keeps the parts that the transaction takes completely.
  std::erase_if(authors, [&](const author& each) { return each.end > records.size(); });
  if (authors.size() < 2) {
    merge_alone(parts.front());
    return 1;
  }
  records = records.first(authors.back().end);
  parts = parts.first(authors.size());
  auto lasted = base::attempt([&] { return merge_front(records, all.attributes, authors); });
  if (!lasted) {
    // The server's refusal of one part must not fail all of them.
    for (auto& each : parts)
      merge_alone(each);
    return parts.size();
  }
  std::size_t first = 0;
  for (auto& each : parts) {
    each.merged =
        base::attempt([&] { return summary(records.subspan(first, each.records.size()), first); });
    first += each.records.size();
    if (each.merged && each.merged->accepted > 0)
      each.merged->lasted = std::exchange(*lasted, std::chrono::nanoseconds{0});
  }
  return parts.size();
}

std::chrono::nanoseconds
postgres_lobbies::merge_front(lobby_batch& records, const model::lobby_attributes_table& attributes,
                              author_list& authors) {
  const auto rounds = rounds_of(records);
  attributes_.begin_batch(attributes);
  // Outside the transaction: a session that waits for another's new kind must not hold lobbies.
  add_missing(records);
  const auto begun = base::machine_clock().now();
  for (int attempt = 1;; ++attempt) {
    try {
      merge_once(records, rounds, authors);
      return base::machine_clock().now() - begun;
    } catch (const base::failure&) {
      if (attempt == merge_attempts || !on_->asks_for_repetition()) throw;
    }
  }
}

void postgres_lobbies::resolve(lobby_batch records) {
  known_.assign(records.size(), nullptr);
  outcomes_.assign(records.size(), outcome::unchanged);
  conflicts_.clear();
  for (std::size_t number = 0; number < records.size(); ++number) {
    known_[number] = attributes_.resolve(records[number].attributes);
    if (!known_[number]) outcomes_[number] = outcome::rejected;
  }
}

void postgres_lobbies::add_missing(lobby_batch records) {
  resolve(records);
  const auto is_missing = [](const auto* known) { return known && known->row == 0; };
  if (std::ranges::none_of(known_, is_missing)) return;
  auto changes = sql_transaction::write(*on_, std::nullopt, "write kinds of lobbies");
  try {
    for (std::size_t number = 0; number < records.size(); ++number)
      if (is_missing(known_[number])) attributes_.add(records[number].attributes);
    changes.commit();
  } catch (...) {
    // The kinds added before were rolled back, and the connection may be used again.
    attributes_.forget();
    throw;
  }
}

void postgres_lobbies::merge_once(lobby_batch records, const std::vector<round>& rounds,
                                  author_list& authors) {
  for (std::size_t number = 0; number < records.size(); ++number)
    outcomes_[number] = known_[number] ? outcome::unchanged : outcome::rejected;
  conflicts_.clear();
  moved_games_.clear();
  auto changes = sql_transaction::write(*on_, std::nullopt, "write lobbies");
  for (const auto& each : rounds)
    merge_round(records, each);
  if (!moved_games_.empty()) finish(authors, changes);
}

void postgres_lobbies::merge_round(lobby_batch records, const round& numbers) {
  static constexpr sql_command upsert{
      "INSERT INTO lobbies AS known (lobby_id, game_id, start_ts, stop_ts, kind) "
      "SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[]) "
      "AS sent (lobby_id, game_id, start_ts, stop_ts, kind) WHERE NOT EXISTS "
      "(SELECT 1 FROM erasures WHERE erasures.game_id = sent.game_id) "
      "ON CONFLICT (lobby_id) DO UPDATE SET start_ts = least(known.start_ts, excluded.start_ts), "
      "stop_ts = greatest(known.stop_ts, excluded.stop_ts) "
      "WHERE known.kind = excluded.kind AND (excluded.start_ts < known.start_ts OR "
      "excluded.stop_ts > known.stop_ts OR "
      "(known.stop_ts IS NULL AND excluded.stop_ts IS NOT NULL)) RETURNING lobby_id",
      "write lobbies"};
  sql_array ids{sql_type::uuid};
  sql_array games{sql_type::uuid};
  sql_array starts{sql_type::integer};
  sql_array stops{sql_type::integer};
  sql_array kinds{sql_type::integer};
  round sent;
  for (const auto number : numbers) {
    if (outcomes_[number] == outcome::rejected) continue;
    const auto& each = records[number];
    ids.add(each.lobby_id);
    games.add(known_[number]->game_id);
    starts.add(each.times.start_ts);
    stops.add(each.times.stop_ts);
    kinds.add(known_[number]->row);
    sent.push_back(number);
  }
  if (sent.empty()) return;
  const auto written = on_->select_binary(upsert, {ids, games, starts, stops, kinds});
  // Rows are returned in the order in which they were sent.
  std::size_t at = 0;
  for (int row = 0; row < written.size(); ++row) {
    const auto id = written.uuid(row, 0);
    while (at < sent.size() && records[sent[at]].lobby_id != id)
      ++at;
    if (at == sent.size()) throw on_->failure(upsert.operation, "an id that was not sent");
    outcomes_[sent[at]] = outcome::accepted;
    moved_games_.insert(known_[sent[at]]->game_id);
  }
  std::erase_if(sent, [&](std::size_t number) { return outcomes_[number] == outcome::accepted; });
  find_conflicts(records, sent);
}

void postgres_lobbies::find_conflicts(lobby_batch records, const round& numbers) {
  static constexpr sql_command query{
      "SELECT position - 1, known.kind FROM unnest($1::uuid[], $2::bigint[]) "
      "WITH ORDINALITY AS sent (lobby_id, kind, position) JOIN lobbies AS known USING (lobby_id) "
      "WHERE known.kind <> sent.kind",
      "compare lobbies"};
  if (numbers.empty()) return;
  sql_array ids{sql_type::uuid};
  sql_array kinds{sql_type::integer};
  for (const auto number : numbers) {
    ids.add(records[number].lobby_id);
    kinds.add(known_[number]->row);
  }
  const auto found = on_->select_binary(query, {ids, kinds});
  for (int row = 0; row < found.size(); ++row) {
    const auto number = numbers[static_cast<std::size_t>(found.integer(row, 0))];
    outcomes_[number] = outcome::rejected;
    conflicts_[number] = found.integer(row, 1);
  }
}

void postgres_lobbies::finish(author_list& authors, sql_transaction& changes) {
  for (const auto& game_id : moved_games_)
    move_lobbies_revision(*on_, game_id);
  auto from = outcomes_.begin();
  for (auto& each : authors) {
    const auto end =
        outcomes_.begin() + static_cast<std::ptrdiff_t>(std::min(each.end, outcomes_.size()));
    each.audit.begin();
    if (std::find(from, end, outcome::accepted) != end)
      each.audit.write(*on_, {model::audit_action::lobbies_import, {}, {}, {}});
    from = end;
  }
  changes.commit();
  for (const auto& each : authors)
    each.audit.note_committed();
}

lobby_merge postgres_lobbies::summary(lobby_batch records, std::size_t first) {
  lobby_merge result;
  for (const auto& each : records) {
    const auto index = result.taken++;
    const auto number = first + index;
    if (outcomes_[number] == outcome::accepted) ++result.accepted;
    if (outcomes_[number] == outcome::unchanged) ++result.unchanged;
    if (outcomes_[number] != outcome::rejected) continue;
    if (const auto conflict = conflicts_.find(number); conflict != conflicts_.end())
      attributes_.refuse(each, conflict->second);
    else
      attributes_.resolve(each.attributes);
    result.rejected.push_back({index, attributes_.finding()});
  }
  return result;
}

lobby_engine::known_lobbies postgres_lobbies::find_known(lobby_batch records) {
  static constexpr sql_command query{
      "SELECT lobby_id, start_ts, stop_ts, kind FROM lobbies WHERE lobby_id = ANY ($1::uuid[])",
      "look for lobbies"};
  sql_array ids{sql_type::uuid};
  for (const auto& each : records)
    ids.add(each.lobby_id);
  const auto rows = on_->select_binary(query, {ids});
  known_lobbies found;
  for (int row = 0; row < rows.size(); ++row) {
    known_lobby each{{rows.integer(row, 1), std::nullopt}, rows.integer(row, 3)};
    if (!rows.is_null(row, 2)) each.times.stop_ts = rows.integer(row, 2);
    found.emplace(rows.uuid(row, 0), each);
  }
  return found;
}

class postgres_lobbies::cursor final : public lobby_cursor {
public:
  /// Opens the cursor and asks for its first lobbies. `stop` is called while waiting for them.
  cursor(postgres_connection& on, const std::string& name, const model::export_query& query,
         int duration_class, const std::function<bool()>& stop)
      : on_{&on},
        stop_{&stop},
        fetch_{fmt::format("FETCH {} FROM {}", fetched_at_once, name)},
        take_{[this](binary_rows rows) {
          coming_ = std::move(rows);
          is_answered_ = true;
        }} {
    static const postgres_connection::take_rows ignore;
    const auto span = span_of_class(query.span, duration_class);
    // Safe without parameters: made only of numbers and an id.
    const auto declare = fmt::format(
        "DECLARE {0} BINARY NO SCROLL CURSOR FOR SELECT start_ts, lobby_id, stop_ts, kind FROM "
        "lobbies WHERE game_id = '{1}' AND duration_class = {2} AND start_ts > {3} AND start_ts < "
        "{4} AND (stop_ts > {5} OR start_ts >= {5}) ORDER BY start_ts, lobby_id",
        name, to_string(query.game_id), duration_class, span.after, span.end, span.begin);
    on_->send(declare, reading_history, ignore);
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
    on_->send(fetch_, reading_history, take_);
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

void postgres_lobbies::merge_history(const model::export_query& query, const history_reader& to) {
  try {
    merge_classes(query, to);
  } catch (const base::failure& failed) {
    if (!on_->ran_out_of_time()) throw;
    throw base::failure{base::errc::history_too_slow, failed.why().detail};
  }
}

std::vector<int> postgres_lobbies::find_classes(const model::export_query& query) {
  // A bare `duration_class` after the first ORDER BY would be the result's bigint column, which has
  // no index.
  static constexpr sql_command classes{
      "WITH RECURSIVE classes (class) AS ((SELECT duration_class::bigint FROM lobbies "
      "WHERE game_id = $1 ORDER BY lobbies.duration_class LIMIT 1) UNION ALL SELECT "
      "(SELECT duration_class FROM lobbies WHERE game_id = $1 AND duration_class > class "
      "ORDER BY lobbies.duration_class LIMIT 1) FROM classes WHERE class IS NOT NULL) "
      "SELECT class FROM classes WHERE class IS NOT NULL",
      reading_history};
  return on_->all(classes, {query.game_id},
                  [](sql_row& row) { return static_cast<int>(row.integer(0)); });
}

void postgres_lobbies::merge_classes(const model::export_query& query, const history_reader& to) {
  // The index has the order of the export; without statistics the planner might sort. The reader of
  // the lobbies may pause, because it writes them to a disk at the lowest priority. If the table is
  // locked, the reading ends before the statement timeout, because that is not a slow history.
  static constexpr sql_command plan{
      "SELECT set_config('enable_seqscan', 'off', true), "
      "set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), "
      "set_config('idle_in_transaction_session_timeout', '5min', true), "
      "set_config('lock_timeout', $1, true)",
      reading_history};
  on_->run(plan, {std::to_string(on_->statement_timeout().count() / 2)});
  // At stable addresses, because results are written to them.
  std::vector<std::unique_ptr<cursor>> cursors;
  std::vector<lobby_cursor*> all;
  for (const auto found : find_classes(query)) {
    if (found > longest_class)
      throw on_->failure(reading_history, "a duration class is impossible");
    const auto name = fmt::format("class_{}", cursors.size());
    cursors.push_back(std::make_unique<cursor>(*on_, name, query, found, to.stop));
    all.push_back(cursors.back().get());
  }
  merge_lobbies(*on_, all, query.dialect, to);
}

} // namespace matchcloud::store
