#include "tests/simulation/database.hpp"

#include "base/faults.hpp"
#include "model/lobbies/lobby_csv.hpp"
#include "tests/fixtures/session_without_access.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::simulation {

namespace {

using base::fault_point;

/// The start of the simulated wall clock; lobbies start a little before.
constexpr std::int64_t begin_ts = 1'700'003'600'000;
constexpr std::array<const char*, 3> tiers{"basic-1d1", "basic-1d2", "basic-1d4"};

model::catalog first_catalog() {
  model::catalog made;
  made.revision = 1;
  made.regions = {{"ams", "Amsterdam", "Cloud", {52.37, 4.9}},
                  {"fra", "Frankfurt", "Cloud", {50.11, 8.68}},
                  {"gru", "Sao Paulo", "Other", {-23.55, -46.63}},
                  {"lax", "Los Angeles", "Cloud", {34.05, -118.24}},
                  {"nrt", "Tokyo, \"bay\"", "Cloud", {35.68, 139.69}},
                  {"syd", "Sydney", "Other", {-33.87, 151.21}}};
  made.tiers.assign(tiers.begin(), tiers.end());
  made.games = {{numbered(1), "One"}, {numbered(2), "Two"}, {numbered(3), "Three"}};
  made.namespaces = {
      {numbered(11), numbered(1), "prod", {"one.example"}, std::nullopt},
      {numbered(12), numbered(1), "far", {"far.example"}, std::vector<std::string>{"nrt", "syd"}},
      {numbered(21), numbered(2), "prod", {"two.example"}, std::vector<std::string>{"ams", "lax"}},
      {numbered(31), numbered(3), "prod", {"three.example"}, std::nullopt}};
  made.index_domains();
  return made;
}

bool is_alive(const model::lobby& which, const model::time_span& span) {
  const auto start = static_cast<std::uint64_t>(which.times.start_ts);
  if (start >= span.end) return false;
  if (!which.times.stop_ts) return true;
  const auto stop = static_cast<std::uint64_t>(*which.times.stop_ts);
  return stop > span.begin || (stop == start && start >= span.begin);
}

/// The lobbies in export order, each with the columns of its attributes.
std::vector<std::pair<const model::lobby*, std::string>>
history_of(const stored_state& state, const model::export_query& query) {
  std::vector<std::pair<const model::lobby*, std::string>> found;
  const auto of_game = state.lobbies.find(query.game_id);
  if (of_game == state.lobbies.end()) return found;
  for (const auto& each : of_game->second) {
    if (!is_alive(each, query.span)) continue;
    const auto* where = state.catalog->find_namespace(each.attributes.namespace_id);
    const auto* region = state.catalog->find_region(each.attributes.region_id);
    found.emplace_back(
        &each, model::csv_attribute_columns(each.attributes, where != nullptr ? where->name : "",
                                            region != nullptr ? region->region_display_name : ""));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair{a.first->times.start_ts, a.first->lobby_id} <
           std::pair{b.first->times.start_ts, b.first->lobby_id};
  });
  return found;
}

std::int64_t revision_in(const std::map<model::uuid, std::int64_t>& of, const model::uuid& game) {
  const auto found = of.find(game);
  return found == of.end() ? 0 : found->second;
}

tl::unexpected<base::error> broken() {
  return base::fail(base::errc::store_failed, "the simulated disk fails");
}

/// One session. Methods that the node never calls are not simulated.
class simulated_session final : public fixtures::session_without_access {
public:
  simulated_session(database& of, const base::clock& clock) : of_{&of}, clock_{&clock} {}

  base::expected<bool> changed() override {
    if (fails()) return break_off();
    return std::exchange(polled_, of_->last()) != of_->last();
  }
  base::expected<std::int64_t> revision() override { return of_->now().catalog->revision; }
  base::expected<model::catalog> load() override {
    if (fails()) return break_off();
    return *of_->now().catalog;
  }
  base::expected<store::moved_games> moved_games_since(store::game_subject,
                                                       std::int64_t known) override {
    if (fails()) return break_off();
    store::moved_games moved;
    moved.all = known < 0;
    for (const auto& [game, revision] : of_->now().avatar_revisions) {
      moved.revision = std::max(moved.revision, revision);
      if (known >= 0 && revision > known) moved.games.push_back({game, revision});
    }
    std::sort(moved.games.begin(), moved.games.end(),
              [](const auto& a, const auto& b) { return a.revision < b.revision; });
    return moved;
  }
  base::expected<std::int64_t>
  read(const model::uuid& game_id, const std::function<bool(const model::avatar&)>& take) override {
    if (fails()) return break_off();
    const auto& state = of_->now(); // stays valid, whatever state follows
    go_on();
    if (of_->failing) return break_off();
    if (const auto found = state.avatars.find(game_id); found != state.avatars.end())
      for (const auto& each : found->second)
        if (!take(each)) break;
    return revision_in(state.avatar_revisions, game_id);
  }
  base::expected<store::history_revisions> revisions(const model::uuid& game_id) override {
    if (fails()) return break_off();
    return revisions_in(of_->now(), game_id);
  }
  base::expected<void> read(const model::export_query& query, const base::clock&,
                            const store::history_reader& to) override {
    if (fails()) return break_off();
    const auto& state = of_->now();
    const auto taken_ts = clock_->unix_ms();
    of_->snapshots.push_back({of_->last(), taken_ts});
    to.begun({revisions_in(state, query.game_id), taken_ts});
    go_on();
    if (of_->failing) return break_off();
    for (const auto& [lobby, columns] : history_of(state, query)) {
      if (to.stop && to.stop()) return base::fail(base::errc::cancelled, "stopped");
      if (!to.take({lobby->lobby_id, lobby->times, &columns})) break;
    }
    return {};
  }
  std::uint64_t backlog_bytes() override { return 0; }
  base::expected<bool> tidy() override { return true; }

  // -- not the node's ---------------------------------------------------------

  base::expected<store::import_summary> import_document(const model::catalog_document&) override {
    return unused();
  }
  base::expected<void> remove(const model::element_key&) override { return unused(); }
  base::expected<std::vector<store::put_outcome>> put(std::span<const model::avatar>) override {
    return unused();
  }
  base::expected<std::vector<store::put_outcome>> check(std::span<const model::avatar>) override {
    return unused();
  }
  base::expected<store::lobby_merge>
  merge(std::span<const model::lobby_record> records,
        const model::lobby_attributes_table& attributes) override {
    if (fails_at(fault_point::store_write)) return break_off();
    merge_on();
    if (fails_at(fault_point::store_commit)) return break_off();
    const auto merged = of_->merge_lobbies(records, attributes);
    merge_on();
    return merged;
  }
  base::expected<store::lobby_merge> check(std::span<const model::lobby_record>,
                                           const model::lobby_attributes_table&) override {
    return unused();
  }
  base::expected<std::vector<store::attributes_check>>
  check_attributes(const model::lobby_attributes_table&) override {
    return unused();
  }
  base::expected<bool> has_any() override { return unused(); }
  bool has_failed() const noexcept override { return failed_; }
  bool is_reusable() const noexcept override { return !failed_ && polled_ == SIZE_MAX; }

private:
  static tl::unexpected<base::error> unused() {
    return base::fail(base::errc::internal, "not simulated");
  }
  static store::history_revisions revisions_in(const stored_state& of, const model::uuid& game_id) {
    return {revision_in(of.lobby_revisions, game_id), of.catalog->revision};
  }
  tl::unexpected<base::error> break_off() {
    failed_ = true;
    return broken();
  }
  bool fails() const { return fails_at(fault_point::store_read); }
  bool fails_at(fault_point at) const {
    return of_->failing || base::faults::strike_blocking(at).kind == base::fault_kind::error;
  }
  void merge_on() const {
    if (of_->while_merging) of_->while_merging();
  }
  void go_on() const {
    if (of_->while_reading) of_->while_reading();
  }

  database* of_;
  const base::clock* clock_;
  /// The state at the last poll; SIZE_MAX if never polled.
  std::size_t polled_ = SIZE_MAX;
  bool failed_ = false;
};

} // namespace

model::uuid numbered(std::uint32_t number) {
  model::uuid id;
  for (std::size_t i = 0; i < 4; ++i)
    id.bytes[12 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return id;
}

bool merge_into(lobby_map& known, const model::lobby& report) {
  const auto [at, is_new] = known.try_emplace(report.lobby_id, report);
  if (is_new) return true;
  const auto merged = model::merge(at->second.times, report.times);
  return std::exchange(at->second.times, merged) != merged;
}

const std::vector<model::uuid>& known_games() {
  static const std::vector<model::uuid> all{numbered(1), numbered(2), numbered(3)};
  return all;
}

const std::vector<std::string>& known_domains() {
  static const std::vector<std::string> all{"one.example", "far.example", "two.example",
                                            "three.example", "nobody.example"};
  return all;
}

std::string csv_of(const stored_state& state, const model::export_query& query,
                   std::int64_t taken_ts) {
  std::string csv{model::lobby_csv_header};
  for (const auto& [lobby, columns] : history_of(state, query))
    model::append_lobby_csv(csv, {lobby->lobby_id, lobby->times, &columns}, query.span, taken_ts);
  return csv;
}

database::database(std::uint64_t seed) : random_{seed} {
  auto first = std::make_shared<stored_state>();
  first->catalog = std::make_shared<const model::catalog>(first_catalog());
  become(std::move(first));
  for (int i = 0; i < 6; ++i) {
    change_avatars();
    change_lobbies(begin_ts);
  }
}

std::shared_ptr<stored_state> database::next() {
  return std::make_shared<stored_state>(now());
}

std::string database::change_catalog() {
  auto changed = std::make_shared<model::catalog>(*now().catalog);
  changed->revision = ++last_revision_;
  std::string what;
  switch (random_.below(4)) {
  case 0: {
    auto& where = changed->namespaces[random_.below(changed->namespaces.size())];
    where.name = "name-" + std::to_string(last_revision_);
    what = "a namespace is renamed";
    break;
  }
  case 1: {
    auto& region = changed->regions[random_.below(changed->regions.size())];
    region.region_display_name = "Region " + std::to_string(last_revision_);
    region.datacenter_coord.latitude = static_cast<double>(random_.between(-80, 80));
    what = "a region is renamed and moved";
    break;
  }
  case 2: {
    auto& list = changed->namespaces[random_.below(changed->namespaces.size())].regions;
    if (list)
      list.reset();
    else
      list = std::vector<std::string>{"fra", "lax"};
    what = "a namespace's regions change";
    break;
  }
  default:
    if (changed->games.size() == known_games().size())
      changed->games.pop_back();
    else
      changed->games.push_back({known_games().back(), "Again"});
    what = "a game goes or comes";
  }
  changed->index_domains();
  auto state = next();
  state->catalog = std::move(changed);
  become(std::move(state));
  return "catalog " + std::to_string(last_revision_) + ": " + what;
}

std::string database::change_avatars() {
  auto state = next();
  const auto& game = random_.of(known_games());
  auto& list = state->avatars[game];
  if (!list.empty() && random_.one_in(3)) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(random_.below(list.size())));
  } else {
    const auto number = ++last_id_;
    model::avatar made{game,
                       numbered(number),
                       "Avatar " + std::to_string(number),
                       begin_ts + number,
                       random_.next(),
                       false,
                       std::nullopt};
    if (random_.one_in(8)) made.display_name.append(200, 'x');
    list.insert(list.begin(), std::move(made));
  }
  state->avatar_revisions[game] = ++last_revision_;
  become(std::move(state));
  return "avatars of game " + std::to_string(game.bytes.back()) + " change";
}

std::string database::change_lobbies(std::int64_t now_ts) {
  auto state = next();
  const auto& game = random_.of(known_games());
  auto& list = state->lobbies[game];
  const auto running =
      std::find_if(list.begin(), list.end(), [](const auto& each) { return !each.times.stop_ts; });
  std::string what;
  if (running != list.end() && random_.one_in(2)) {
    running->times.stop_ts = std::max(now_ts, running->times.start_ts);
    what = "stops";
  } else {
    std::vector<model::uuid> where;
    for (const auto& each : now().catalog->namespaces)
      if (each.game_id == game) where.push_back(each.namespace_id);
    model::lobby made;
    made.lobby_id = numbered(++last_id_);
    made.times.start_ts = now_ts - random_.between(0, 100'000);
    if (random_.one_in(2)) made.times.stop_ts = made.times.start_ts + random_.between(0, 50'000);
    made.attributes = {
        random_.of(where), numbered(77),        random_.of(now().catalog->regions).region_id,
        random_.of(tiers), "v\"1\", the first", "duel"};
    list.push_back(std::move(made));
    what = "begins";
  }
  state->lobby_revisions[game] = ++last_revision_;
  become(std::move(state));
  return "a lobby of game " + std::to_string(game.bytes.back()) + " " + what;
}

store::lobby_merge database::merge_lobbies(std::span<const model::lobby_record> records,
                                           const model::lobby_attributes_table& attributes) {
  store::lobby_merge done;
  // A transaction takes as many as fit into its time.
  const auto most = random_.one_in(2) ? records.size() : 1 + random_.below(records.size());
  for (; done.taken < most; ++done.taken) {
    const auto& record = records[done.taken];
    const auto& kind = attributes[record.attributes];
    const auto known = ingested_.find(record.lobby_id);
    if (now().catalog->find_namespace(kind.namespace_id) == nullptr)
      done.rejected.push_back({done.taken, {model::line_errc::namespace_unknown, "unknown"}});
    else if (known != ingested_.end() && known->second.attributes != kind)
      done.rejected.push_back({done.taken, {model::line_errc::conflict, "known otherwise"}});
    else
      ++(merge_into(ingested_, {record.lobby_id, record.times, kind}) ? done.accepted
                                                                      : done.unchanged);
  }
  return done;
}

std::shared_ptr<store::database> database::store(const base::clock& clock) {
  const auto open = [this, &clock]() -> base::expected<std::unique_ptr<store::session>> {
    if (failing ||
        base::faults::strike_blocking(fault_point::store_open).kind == base::fault_kind::error)
      return broken();
    return std::make_unique<simulated_session>(*this, clock);
  };
  return std::make_shared<store::database>(open, store::session_limits{});
}

} // namespace matchcloud::simulation
