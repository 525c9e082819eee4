#include "tests/simulation/memory_store.hpp"

#include "base/faults.hpp"
#include "tests/fixtures/fake_store.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace matchcloud::simulation {

base::expected<void> latency_table::add(std::span<const model::learned_entry> learned) {
  if (auto checked = store::check_learned(learned); !checked || learned.empty()) return checked;
  const std::scoped_lock alone{mutex_};
  ++revision_;
  for (const auto& each : learned) {
    const auto [at, is_new] =
        rows_.try_emplace({each.cell.key, each.region_id}, row{each, revision_});
    if (is_new) continue;
    model::merge(at->second.entry, each);
    at->second.revision = revision_;
  }
  return {};
}

store::latency_page latency_table::read(const store::latency_position& after,
                                        std::size_t limit) const {
  const std::scoped_lock alone{mutex_};
  std::map<std::tuple<std::int64_t, std::uint64_t, std::string>, const model::learned_entry*> all;
  for (const auto& [key, each] : rows_)
    all[{each.revision, key.first, key.second}] = &each.entry;
  store::latency_page page{{}, after};
  auto at = all.upper_bound({after.revision, after.cell.key, after.region_id});
  for (auto left = std::min(limit, store::latency_batch_limit); left > 0 && at != all.end();
       --left, ++at) {
    page.entries.push_back(*at->second);
    page.last = {std::get<0>(at->first), at->second->cell, at->second->region_id};
  }
  return page;
}

std::size_t latency_table::expire(std::uint32_t before_minute, std::size_t most) {
  const std::scoped_lock alone{mutex_};
  std::multimap<std::uint32_t, decltype(rows_)::iterator> by_minute;
  for (auto at = rows_.begin(); at != rows_.end(); ++at)
    by_minute.emplace(at->second.entry.minute(), at);
  std::size_t gone = 0;
  for (const auto& [minute, at] : by_minute) {
    if (gone == store::latency_expiry_limit || (minute >= before_minute && rows_.size() <= most))
      break;
    rows_.erase(at);
    ++gone;
  }
  return gone;
}

namespace {

using base::fault_point;

/// How many lobbies are read before the reader is asked again whether to stop.
constexpr std::size_t stop_interval = 4'096;

bool strikes(fault_point at) {
  return base::faults::strike_blocking(at).kind == base::fault_kind::error;
}

tl::unexpected<base::error> broken() {
  return base::fail(base::errc::store_failed, "the simulated disk fails");
}

class simulated_session final : public fixtures::session_without_access {
public:
  explicit simulated_session(memory_store& of) : of_{&of} {}

  // -- catalog_store ----------------------------------------------------------

  base::expected<std::int64_t> revision() override { return of_->now().catalog->revision; }
  base::expected<model::catalog> load() override {
    if (fails()) return break_off();
    return *of_->now().catalog;
  }
  base::expected<store::import_summary>
  import_document(const model::catalog_document& doc) override {
    if (fails_to_write()) return break_off();
    return of_->change([&](stored_state& state) { return state.import_document(doc); });
  }
  base::expected<void> remove(const model::element_key& key) override {
    if (fails_to_write()) return break_off();
    return of_->change([&](stored_state& state) { return state.remove(key); });
  }

  // -- avatar_store -----------------------------------------------------------

  base::expected<std::int64_t>
  read(const model::uuid& game_id, const std::function<bool(const model::avatar&)>& take) override {
    if (fails()) return break_off();
    const auto& state = of_->now(); // stays valid, whatever state follows
    go_on();
    if (of_->failing) return break_off();
    for (const auto& each : state.avatars_of(game_id))
      if (!take(each)) break;
    return revision_in(state.avatar_revisions, game_id);
  }
  base::expected<std::vector<store::put_outcome>>
  put(std::span<const model::avatar> avatars) override {
    if (fails_to_write()) return break_off();
    return of_->change([&](stored_state& state) { return state.put(avatars); });
  }
  base::expected<std::vector<store::put_outcome>>
  check(std::span<const model::avatar> avatars) override {
    if (fails()) return break_off();
    return stored_state{of_->now()}.put(avatars);
  }
  base::expected<void> read_images(const take_image& take) override {
    if (fails()) return break_off();
    for (const auto& [id, each] : of_->now().avatars)
      if (each.image && !take({id, *each.image}, true)) break;
    return {};
  }

  // -- lobby_sink -------------------------------------------------------------

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
  base::expected<store::lobby_merge>
  check(std::span<const model::lobby_record> records,
        const model::lobby_attributes_table& attributes) override {
    if (fails()) return break_off();
    return of_->now().check(records, attributes);
  }
  base::expected<std::vector<store::attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) override {
    if (fails()) return break_off();
    return of_->now().check_attributes(attributes);
  }
  base::expected<bool> has_any() override {
    if (fails()) return break_off();
    return !of_->now().lobbies.empty();
  }

  // -- lobby_history ----------------------------------------------------------

  base::expected<store::history_revisions> revisions(const model::uuid& game_id) override {
    if (fails()) return break_off();
    return of_->now().revisions(game_id);
  }
  base::expected<void> read(const model::export_query& query, const base::clock& clock,
                            const store::history_reader& to) override {
    if (fails()) return break_off();
    const taken_snapshot taken{of_->last(), clock.unix_ms()};
    const auto& state = of_->at(taken.state);
    if (of_->when_taken) of_->when_taken(taken);
    if (to.begun) to.begun({state.revisions(query.game_id), taken.taken_ts});
    go_on();
    if (of_->failing) return break_off();
    if (to.stop && to.stop()) return given_up();
    std::size_t count = 0;
    for (const auto& [lobby, columns] : state.history_of(query)) {
      if (++count % stop_interval == 0 && to.stop && to.stop()) return given_up();
      if (!to.take({lobby->lobby_id, lobby->times, &columns})) break;
    }
    return {};
  }
  base::expected<std::optional<store::found_lobby>>
  find_lobby(const model::uuid& game_id, const model::uuid& lobby_id) override {
    if (fails()) return break_off();
    const auto& state = of_->now();
    const auto found = state.lobbies.find(lobby_id);
    if (found == state.lobbies.end() || state.game_of(found->second) != game_id)
      return std::nullopt;
    return store::found_lobby{found->second.times, state.columns_of(found->second)};
  }

  // -- change_feed ------------------------------------------------------------

  base::expected<bool> changed() override {
    if (fails()) return break_off();
    const auto last = of_->last();
    return std::exchange(polled_, last) != last;
  }
  base::expected<store::moved_games> moved_games_since(std::int64_t known) override {
    if (fails()) return break_off();
    return of_->now().moved_games_since(known);
  }

  // -- latency_store ----------------------------------------------------------

  base::expected<void> add_latencies(std::span<const model::learned_entry> learned) override {
    if (fails_to_write()) return break_off();
    return of_->latencies.add(learned);
  }
  base::expected<store::latency_page> read_latencies(const store::latency_position& after,
                                                     std::size_t limit) override {
    if (fails()) return break_off();
    return of_->latencies.read(after, limit);
  }
  base::expected<base::siphash_key> latency_key() override {
    if (fails()) return break_off();
    return base::siphash_key{1, 2};
  }
  base::expected<std::size_t> expire_latencies(std::uint32_t before_minute,
                                               std::size_t most) override {
    if (fails_to_write()) return break_off();
    return of_->latencies.expire(before_minute, most);
  }

  // -- maintenance ------------------------------------------------------------

  std::uint64_t backlog_bytes() override { return 0; }
  base::expected<bool> tidy() override { return true; }
  bool has_failed() const noexcept override { return failed_; }
  bool is_reusable() const noexcept override { return !failed_ && polled_ == SIZE_MAX; }

private:
  static tl::unexpected<base::error> given_up() {
    return base::fail(base::errc::cancelled, "stopped");
  }
  tl::unexpected<base::error> break_off() {
    failed_ = true;
    return broken();
  }
  bool fails() const { return fails_at(fault_point::store_read); }
  bool fails_to_write() const {
    return fails_at(fault_point::store_write) || fails_at(fault_point::store_commit);
  }
  bool fails_at(fault_point at) const { return of_->failing || strikes(at); }
  void merge_on() const {
    if (of_->while_merging) of_->while_merging();
  }
  void go_on() const {
    if (of_->while_reading) of_->while_reading();
  }

  memory_store* of_;
  /// The state at the last poll; SIZE_MAX if never polled.
  std::size_t polled_ = SIZE_MAX;
  bool failed_ = false;
};

} // namespace

const stored_state& memory_store::at(std::size_t number) const {
  const std::scoped_lock alone{mutex_};
  return *states_[number];
}

std::size_t memory_store::last() const {
  const std::scoped_lock alone{mutex_};
  return states_.size() - 1;
}

void memory_store::become(stored_state state) {
  const std::scoped_lock alone{mutex_};
  states_.push_back(std::make_shared<const stored_state>(std::move(state)));
}

store::lobby_merge memory_store::merge_lobbies(std::span<const model::lobby_record> records,
                                               const model::lobby_attributes_table& attributes) {
  return change([&](stored_state& state) { return state.merge(records, attributes); });
}

std::shared_ptr<store::database> memory_store::store() {
  const auto open = [this]() -> base::expected<std::unique_ptr<store::session>> {
    if (failing || strikes(fault_point::store_open)) return broken();
    return std::make_unique<simulated_session>(*this);
  };
  return std::make_shared<store::database>(open, store::session_limits{});
}

} // namespace matchcloud::simulation
