#include "tests/simulation/stored_state.hpp"

#include "model/lobbies/lobby_csv.hpp"
#include "model/records/finding_list.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <tuple>

namespace matchcloud::simulation {

namespace {

using store::put_outcome;

std::size_t size_of(const model::catalog& of) noexcept {
  return of.regions.size() + of.tiers.size() + of.games.size() + of.namespaces.size();
}

std::int64_t highest_in(const game_revisions& of) {
  std::int64_t highest = 0;
  for (const auto& [game, revision] : of)
    highest = std::max(highest, revision);
  return highest;
}

/// Each game moves to a revision of its own.
void move_revisions(game_revisions& of, const std::set<model::uuid>& games) {
  for (const auto& game : games)
    of[game] = highest_in(of) + 1;
}

/// Why lobbies with these attributes are refused.
std::optional<model::line_finding> find_wrong(const stored_state& in,
                                              const model::lobby_attributes& of) {
  if (!in.namespaces.contains(of.namespace_id))
    return model::line_finding{model::line_errc::namespace_unknown, "unknown"};
  if (!in.regions.contains(of.region_id))
    return model::line_finding{model::line_errc::region_unknown, "unknown"};
  return std::nullopt;
}

base::expected<void> check_returning(const stored_state& in, const model::catalog_document& doc) {
  model::finding_list findings;
  for (const auto& each : doc.namespaces) {
    const auto known = in.namespaces.find(each.namespace_id);
    if (known == in.namespaces.end() || known->second.game_id == each.game_id) continue;
    findings.add("namespace " + to_string(each.namespace_id),
                 "was removed from game " + to_string(known->second.game_id) +
                     " and cannot return to game " + to_string(each.game_id) +
                     "; give the new namespace a new id");
  }
  if (!findings.empty()) return findings.failure();
  return {};
}

bool is_alive(const model::lobby_times& times, const model::time_span& span) {
  const auto start = static_cast<std::uint64_t>(times.start_ts);
  if (start >= span.end || span.begin >= span.end) return false;
  if (!times.stop_ts) return true;
  const auto stop = static_cast<std::uint64_t>(*times.stop_ts);
  return stop > span.begin || (stop == start && start >= span.begin);
}

} // namespace

stored_state::stored_state() {
  model::catalog made;
  made.tiers = model::default_tiers();
  become(std::move(made));
}

// -- catalog ------------------------------------------------------------------

void stored_state::become(model::catalog changed) {
  for (const auto& each : changed.namespaces)
    namespaces.insert_or_assign(each.namespace_id, each);
  for (const auto& each : changed.regions)
    regions.insert_or_assign(each.region_id, each);
  catalog = std::make_shared<const model::catalog>(std::move(changed));
}

base::expected<store::import_summary>
stored_state::import_document(const model::catalog_document& doc) {
  auto after = model::merge(*catalog, doc);
  if (!after) return tl::unexpected(after.error());
  if (auto allowed = check_returning(*this, doc); !allowed) return tl::unexpected(allowed.error());
  const store::import_summary summary{doc.regions.size(),
                                      doc.tiers.size(),
                                      doc.games.size(),
                                      doc.namespaces.size(),
                                      size_of(*after) - size_of(*catalog),
                                      *after != *catalog};
  become(*std::move(after));
  return summary;
}

base::expected<void> stored_state::remove(const model::element_key& key) {
  return model::without(*catalog, key).map([this](model::catalog after) {
    become(std::move(after));
  });
}

// -- avatars ------------------------------------------------------------------

std::vector<put_outcome> stored_state::put(std::span<const model::avatar> list) {
  std::set<model::uuid> moved;
  const auto put_one = [&](const model::avatar& each) {
    if (catalog->find_game(each.game_id) == nullptr) return put_outcome::game_unknown;
    const auto [at, is_new] = avatars.try_emplace(each.upload_id, each);
    if (at->second.game_id != each.game_id) return put_outcome::of_other_game;
    if (!is_new && at->second == each) return put_outcome::unchanged;
    at->second = each;
    moved.insert(each.game_id);
    return is_new ? put_outcome::added : put_outcome::changed;
  };
  std::vector<put_outcome> outcomes;
  for (const auto& each : list)
    outcomes.push_back(put_one(each));
  move_revisions(avatar_revisions, moved);
  return outcomes;
}

std::vector<model::avatar> stored_state::avatars_of(const model::uuid& game_id) const {
  std::vector<model::avatar> list;
  for (const auto& [id, each] : avatars)
    if (each.game_id == game_id) list.push_back(each);
  std::ranges::stable_sort(list, std::greater{}, &model::avatar::create_ts_ms);
  return list;
}

// -- lobbies ------------------------------------------------------------------

const model::uuid& stored_state::game_of(const model::lobby& of) const {
  return namespaces.at(of.attributes.namespace_id).game_id;
}

report_outcome stored_state::merge_into(lobby_map& known, const model::lobby& report) const {
  if (auto wrong = find_wrong(*this, report.attributes)) return tl::unexpected(*std::move(wrong));
  const auto at = known.find(report.lobby_id);
  if (at != known.end() && at->second.attributes != report.attributes)
    return tl::unexpected(
        model::line_finding{model::line_errc::conflict,
                            to_string(report.lobby_id) + " is known, and its " +
                                model::difference(report.attributes, at->second.attributes)});
  return simulation::merge_into(known, report);
}

store::lobby_merge stored_state::merge(std::span<const model::lobby_record> records,
                                       const model::lobby_attributes_table& attributes) {
  store::lobby_merge done;
  std::set<model::uuid> moved;
  for (const auto& each : records) {
    const auto report = report_of(each, attributes);
    const auto became = merge_into(lobbies, report);
    count(done, became);
    if (became && *became) moved.insert(game_of(report));
  }
  move_revisions(lobby_revisions, moved);
  return done;
}

store::lobby_merge stored_state::check(std::span<const model::lobby_record> records,
                                       const model::lobby_attributes_table& attributes) const {
  store::lobby_merge done;
  for (const auto& each : records) {
    lobby_map known;
    if (const auto found = lobbies.find(each.lobby_id); found != lobbies.end())
      known.insert(*found);
    count(done, merge_into(known, report_of(each, attributes)));
  }
  return done;
}

std::vector<store::attributes_check>
stored_state::check_attributes(const model::lobby_attributes_table& attributes) const {
  std::vector<store::attributes_check> checks(attributes.size());
  for (std::uint32_t number = 0; number < attributes.size(); ++number) {
    checks[number].finding = find_wrong(*this, attributes[number]);
    if (!checks[number].finding)
      checks[number].game_id = namespaces.at(attributes[number].namespace_id).game_id;
  }
  return checks;
}

found_lobbies stored_state::history_of(const model::export_query& query) const {
  found_lobbies found;
  for (const auto& [id, each] : lobbies) {
    if (!is_alive(each.times, query.span)) continue;
    if (game_of(each) != query.game_id) continue;
    found.emplace_back(&each, columns_of(each));
  }
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first->times.start_ts; });
  return found;
}

std::string stored_state::columns_of(const model::lobby& of) const {
  return model::csv_attribute_columns(of.attributes, namespaces.at(of.attributes.namespace_id).name,
                                      regions.at(of.attributes.region_id).region_display_name);
}

// -- revisions ----------------------------------------------------------------

store::history_revisions stored_state::revisions(const model::uuid& game_id) const {
  return {revision_in(lobby_revisions, game_id), catalog->revision};
}

store::moved_games stored_state::moved_games_since(std::int64_t known) const {
  const auto& all = avatar_revisions;
  store::moved_games moved;
  moved.revision = highest_in(all);
  for (const auto& [game, revision] : all)
    if (revision > known) moved.games.push_back({game, revision});
  moved.all =
      known < 0 || known > moved.revision || moved.games.size() > store::moved_games::named_limit;
  if (moved.all) moved.games.clear();
  std::ranges::sort(moved.games, {}, &store::game_revision::revision);
  return moved;
}

bool stored_state::has_moved_since(const stored_state& before) const {
  const auto revisions_of = [](const stored_state& state) {
    return std::tie(state.catalog->revision, state.avatar_revisions, state.lobby_revisions);
  };
  return revisions_of(*this) != revisions_of(before);
}

// -- apart from a state -------------------------------------------------------

model::lobby report_of(const model::lobby_record& record,
                       const model::lobby_attributes_table& attributes) {
  return {record.lobby_id, record.times, attributes[record.attributes]};
}

bool merge_into(lobby_map& known, const model::lobby& report) {
  const auto [at, is_new] = known.try_emplace(report.lobby_id, report);
  if (is_new) return true;
  const auto merged = model::merge(at->second.times, report.times);
  return std::exchange(at->second.times, merged) != merged;
}

void count(store::lobby_merge& in, const report_outcome& became) {
  if (became)
    ++(*became ? in.accepted : in.unchanged);
  else
    in.rejected.push_back({in.taken, became.error()});
  ++in.taken;
}

std::int64_t revision_in(const game_revisions& of, const model::uuid& game) {
  const auto found = of.find(game);
  return found == of.end() ? 0 : found->second;
}

std::string csv_of(const stored_state& state, const model::export_query& query,
                   std::int64_t taken_ts) {
  std::string csv{model::lobby_csv_header};
  for (const auto& [lobby, columns] : state.history_of(query))
    model::append_lobby_csv(csv, {lobby->lobby_id, lobby->times, &columns}, query.span, taken_ts);
  return csv;
}

} // namespace matchcloud::simulation
