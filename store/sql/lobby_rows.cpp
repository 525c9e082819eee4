#include "store/sql/lobby_rows.hpp"

#include "model/lobbies/lobby_csv.hpp"
#include "store/sql/shared_statements.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace matchcloud::store {

namespace {

/// How many lobbies are looked up at once.
constexpr std::size_t checked_together = 5'000;

std::size_t cost_of(const model::lobby_attributes& of) {
  return 2 * sizeof of + of.region_id.size() + of.tier.size() + of.version_name.size() +
         of.game_mode.size();
}

} // namespace

void lobby_attribute_rows::begin_batch(const model::lobby_attributes_table& attributes) {
  batch_ = &attributes;
  entries_.assign(attributes.size(), {});
  refused_.clear();
}

const lobby_attribute_rows::known_attributes* lobby_attribute_rows::resolve(std::uint32_t number) {
  auto& found = entries_[number];
  if (found.is == entry::state::good) return &found.known;
  if (found.is == entry::state::refused) {
    finding_ = refused_[number];
    return nullptr;
  }
  const auto& attributes = (*batch_)[number];
  if (const auto* known = cache_.get(attributes)) {
    found = {entry::state::good, *known};
    return &found.known;
  }
  if (!look_up(attributes, found.known)) {
    found.is = entry::state::refused;
    refused_[number] = finding_;
    return nullptr;
  }
  found.is = entry::state::good;
  if (found.known.row != 0) cache_.put(attributes, found.known, cost_of(attributes));
  return &found.known;
}

bool lobby_attribute_rows::look_up(const model::lobby_attributes& attributes,
                                   known_attributes& into) {
  static constexpr sql_command find_game{
      "SELECT game_id FROM namespaces WHERE namespace_id = $1 AND NOT EXISTS "
      "(SELECT 1 FROM erasures WHERE erasures.game_id = namespaces.game_id)",
      "look for a namespace"};
  static constexpr sql_command find_region{"SELECT 1 FROM regions WHERE region_id = $1",
                                           "look for a region"};
  const auto game_id =
      on_->first(find_game, {attributes.namespace_id}, [](sql_row& row) { return row.uuid(0); });
  if (!game_id) {
    finding_ = {model::line_errc::namespace_unknown,
                "namespace_id: no namespace has the id " + to_string(attributes.namespace_id) +
                    "; `matchcloud catalog list namespaces` lists those that exist, and "
                    "`matchcloud import catalog` adds others"};
    return false;
  }
  if (!on_->has(find_region, {attributes.region_id})) {
    finding_ = {model::line_errc::region_unknown,
                "region_id: no region has the id " + attributes.region_id +
                    "; `matchcloud catalog list regions` lists those that exist, and "
                    "`matchcloud import catalog` adds others"};
    return false;
  }
  into = {find_row(attributes), *game_id};
  return true;
}

std::int64_t lobby_attribute_rows::find_row(const model::lobby_attributes& attributes) {
  static constexpr sql_command find{
      "SELECT kind FROM lobby_kinds WHERE namespace_id = $1 AND version_id = $2 AND "
      "region_id = $3 AND game_mode = $4 AND tier = $5 AND version_name = $6",
      "look for a kind of lobby"};
  return on_->number(find,
                     {attributes.namespace_id, attributes.version_id, attributes.region_id,
                      attributes.game_mode, attributes.tier, attributes.version_name},
                     0);
}

void lobby_attribute_rows::add(std::uint32_t number) {
  // Another writer may add the same row at the same time.
  static constexpr sql_command insert{
      "INSERT INTO lobby_kinds (namespace_id, version_id, region_id, game_mode, tier, "
      "version_name) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
      "write a kind of lobby"};
  const auto& attributes = (*batch_)[number];
  on_->run(insert, {attributes.namespace_id, attributes.version_id, attributes.region_id,
                    attributes.game_mode, attributes.tier, attributes.version_name});
  auto& known = entries_[number].known;
  known.row = find_row(attributes);
  if (known.row == 0) throw on_->failure(insert.operation, "it is not there afterwards");
  cache_.put(attributes, known, cost_of(attributes));
}

void lobby_attribute_rows::refuse(const model::lobby_record& record, std::int64_t stored_row) {
  finding_ = {model::line_errc::conflict,
              to_string(record.lobby_id) + " is known, and its " +
                  model::difference((*batch_)[record.attributes], read(stored_row))};
}

model::lobby_attributes lobby_attribute_rows::read(std::int64_t number) {
  static constexpr sql_command query{
      "SELECT namespace_id, version_id, region_id, tier, version_name, game_mode "
      "FROM lobby_kinds WHERE kind = $1",
      "read a kind of lobby"};
  auto found = on_->first(query, {number}, [](sql_row& row) { return attributes_at(row, 0); });
  if (!found) throw on_->failure(query.operation, "a row is missing");
  return *std::move(found);
}

std::vector<attributes_check>
lobby_attribute_rows::check(const model::lobby_attributes_table& attributes) {
  const auto snapshot = sql_transaction::read(*on_, "check lobbies");
  begin_batch(attributes);
  std::vector<attributes_check> checks(attributes.size());
  for (std::uint32_t number = 0; number < attributes.size(); ++number)
    if (const auto* found = resolve(number))
      checks[number].game_id = found->game_id;
    else
      checks[number].finding = finding_;
  return checks;
}

namespace {

/// The overhead of a cache entry besides its characters.
constexpr std::size_t entry_bytes = 128;

} // namespace

model::lobby_attributes attributes_at(sql_row& row, int column) {
  const auto text = [&](int at) { return row.string(column + at); };
  return {row.uuid(column), row.uuid(column + 1), text(2), text(3), text(4), text(5)};
}

lobby_merge lobby_engine::check(lobby_batch records,
                                const model::lobby_attributes_table& attributes) {
  const auto snapshot = sql_transaction::read(*connection_, "check lobbies");
  attributes_.begin_batch(attributes);
  lobby_merge result;
  while (result.taken < records.size()) {
    const auto rest = records.subspan(result.taken);
    const auto part = rest.first(std::min(rest.size(), checked_together));
    const auto stored = find_known(part);
    for (const auto& each : part) {
      const auto* kind = attributes_.resolve(each.attributes);
      const auto known = stored.find(each.lobby_id);
      if (kind != nullptr && known != stored.end() && known->second.kind != kind->row) {
        attributes_.refuse(each, known->second.kind);
        kind = nullptr;
      }
      if (kind == nullptr)
        result.rejected.push_back({result.taken, attributes_.finding()});
      else if (known != stored.end() &&
               model::merge(known->second.times, each.times) == known->second.times)
        ++result.unchanged;
      else
        ++result.accepted;
      ++result.taken;
    }
  }
  return result;
}

void lobby_engine::merge_together(std::span<merge_part> parts) {
  for (auto& each : parts)
    merge_alone(each);
}

void lobby_engine::read(const model::export_query& query, const base::clock& clock,
                        const history_reader& to) {
  // Never committed, because nothing is written.
  const auto reading = sql_transaction::read(*connection_, std::string{reading_history});
  begin_history(*connection_, query.game_id, clock, to);
  if (query.span.begin < query.span.end) merge_history(query, to);
}

audit_table lobby_engine::audit_of(const merge_part& part) {
  audit_table audit;
  audit.attribute(part.run);
  return audit;
}

void lobby_engine::merge_alone(merge_part& part) {
  part.merged = base::attempt([&] {
    auto audit = audit_of(part);
    return merge(part.records, *part.attributes, audit);
  });
}

void attribute_columns::put(std::int64_t kind, std::string columns) {
  const auto bytes = columns.size() + entry_bytes;
  recent_ = {};
  all_.put(kind, std::move(columns), bytes);
}

const std::string& attribute_columns::read(sql_connection& on, std::int64_t kind) {
  const auto columns = on.first(attribute_columns_query, {kind}, [this](sql_row& row) {
    return model::csv_attribute_columns(attributes_at(row, 0), row.text(6), row.text(7), dialect_);
  });
  if (!columns) throw on.failure(attribute_columns_query.operation, "a kind of lobby is missing");
  put(kind, *columns);
  if (const auto* kept = get(kind)) return *kept;
  throw on.failure(attribute_columns_query.operation, "a kind of lobby is too large");
}

namespace {

/// How many lobbies are merged between two calls of `stop`.
constexpr int stop_look_interval = 1'024;

/// A cursor and its next lobby.
struct entry {
  lobby_row row;
  lobby_cursor* from = nullptr;
};

bool is_earlier(const entry& a, const entry& b) noexcept {
  return std::tie(a.row.start_ts, a.row.lobby_id) < std::tie(b.row.start_ts, b.row.lobby_id);
}

/// Moves the first entry to its place among the others, which are in order. Most lobbies are in few
/// classes, so it rarely moves far.
void put_first_in_order(std::vector<entry*>& next) noexcept {
  auto* const moved = next.front();
  std::size_t at = 0;
  for (; at + 1 < next.size() && is_earlier(*next[at + 1], *moved); ++at)
    next[at] = next[at + 1];
  next[at] = moved;
}

} // namespace

void merge_lobbies(sql_connection& on, std::span<lobby_cursor* const> cursors,
                   model::csv_dialect as, const history_reader& to) {
  std::vector<entry> entries(cursors.size());
  std::vector<entry*> next; // the earliest first
  for (std::size_t number = 0; number < cursors.size(); ++number) {
    entries[number].from = cursors[number];
    if (cursors[number]->next(entries[number].row)) next.push_back(&entries[number]);
  }
  std::sort(next.begin(), next.end(),
            [](const entry* a, const entry* b) { return is_earlier(*a, *b); });
  attribute_columns known{as};
  model::history_lobby lobby;
  for (int merged = 1; !next.empty(); ++merged) {
    if (merged % stop_look_interval == 0 && to.stop && to.stop())
      throw base::failure{base::errc::cancelled, "the export was given up"};
    auto& [row, from] = *next.front();
    lobby.lobby_id = row.lobby_id;
    lobby.times = {row.start_ts, row.stop_ts};
    lobby.attribute_columns = &known.of(on, row.kind);
    if (!to.take(lobby)) return;
    if (from->next(row))
      put_first_in_order(next);
    else
      next.erase(next.begin());
  }
}

} // namespace matchcloud::store
