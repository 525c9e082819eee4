#include "actors/lobby_export/lobby_export_state.hpp"

#include "actors/lobby_export/export_link.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace matchcloud::actors {

namespace {

base::error too_many_waiting(std::size_t limit) {
  return {base::errc::exports_busy, "Too many requests are waiting for exports (" +
                                        std::to_string(limit) +
                                        "). Retry after the time in Retry-After."};
}

base::error too_many_of_game_waiting(std::size_t share) {
  return {base::errc::exports_busy,
          "Too many requests are waiting for exports of this game (" + std::to_string(share) +
              ", its share by export-share-percent). Retry after the time in Retry-After."};
}

base::error too_many_queued(std::size_t limit) {
  return {base::errc::exports_busy, "The export queue is full (" + std::to_string(limit) +
                                        " exports). Retry after the time in Retry-After."};
}

base::error too_many_of_game_queued(std::size_t share) {
  return {base::errc::exports_busy,
          "This game's share of the export queue is full (" + std::to_string(share) +
              " exports, export-share-percent). Wait for the game's other exports, or retry after "
              "the time in Retry-After."};
}

/// How long a link of an operator is valid, in seconds.
constexpr std::int64_t operator_link_s = 60;

void write_export(model::json_writer& json, const model::export_query& query,
                  std::string_view state, std::uint64_t rows, std::uint64_t bytes) {
  json.object().name("game_id").text(model::to_string(query.game_id));
  json.name("query_start").number(query.span.begin).name("query_end").number(query.span.end);
  json.name("state").text(state).name("rows").number(rows).name("bytes").number(bytes);
  json.end_object();
}

base::error pool_full() {
  return {base::errc::exports_busy, "The disk queue is full. Retry after the time in Retry-After."};
}

} // namespace

void lobby_export_state::adopt(std::uint64_t number, const model::export_query& query,
                               const std::optional<store::history_snapshot>& snapshot) {
  job known;
  known.query = query;
  known.running = true;
  known.snapshot = snapshot;
  jobs_.emplace(number, std::move(known));
  ++running_;
}

// -- requests -----------------------------------------------------------------

void lobby_export_state::ask(const model::export_query& query, const export_waiter& who) {
  // Earlier attempts of a front that died are still among the waiting requests.
  if (waiting_count() >= settings_->waiting_limit) forget_gone();
  if (waiting_count() >= settings_->waiting_limit)
    return effects_->fail(who, too_many_waiting(settings_->waiting_limit));
  if (const auto share = share_of(settings_->waiting_limit);
      waiting_count(query.game_id) >= share) {
    forget_gone();
    if (waiting_count(query.game_id) >= share) {
      settings_->job.metrics->over_share.add();
      return effects_->fail(who, too_many_of_game_waiting(share));
    }
  }
  if (join_queued(query, who)) return;
  if (settings_->job.files->is_shared() || is_known(query)) return look(query, who);
  add_job(query, who);
}

bool lobby_export_state::is_known(const model::export_query& query) const {
  return settings_->registry->newest.contains(query) ||
         std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const auto& each) { return each.second.query == query; });
}

void lobby_export_state::look(const model::export_query& query, export_waiter who) {
  const auto number = settings_->registry->next_number();
  looking_.emplace(number, looking{query, std::move(who)});
  next_look_.push_back(number);
  start_looking();
}

void lobby_export_state::start_looking() {
  if (look_under_way_ || next_look_.empty()) return;
  std::vector<look_request> requests;
  for (const auto number : std::exchange(next_look_, {})) {
    const auto found = looking_.find(number);
    if (found == looking_.end()) continue;
    const auto& query = found->second.query;
    const auto newest = settings_->registry->newest.find(query);
    requests.push_back({number, query,
                        newest == settings_->registry->newest.end()
                            ? std::nullopt
                            : std::optional{newest->second}});
  }
  look_under_way_ = effects_->look(requests);
  if (look_under_way_) return;
  for (const auto& each : requests)
    if (const auto refused = looking_.extract(each.number); !refused.empty())
      effects_->fail(refused.mapped().who, pool_full());
}

void lobby_export_state::on(const history_looked& looked) {
  look_under_way_ = false;
  for (const auto& each : looked.results) {
    if (each.missing) forget(*each.missing);
    if (each.found) note_found(*each.found);
    auto found = looking_.extract(each.request);
    if (found.empty()) continue;
    auto& [query, who] = found.mapped();
    if (looked.failure)
      effects_->fail(who, *looked.failure);
    else
      decide(query, std::move(who), each.revisions);
  }
  start_looking();
}

void lobby_export_state::decide(const model::export_query& query, export_waiter who,
                                const store::history_revisions& needs) {
  if (who.is_gone() || join_queued(query, who) || join_running(query, who, needs) ||
      give_finished(query, who, needs))
    return;
  add_job(query, std::move(who));
}

bool lobby_export_state::join_queued(const model::export_query& query, const export_waiter& who) {
  for (const auto number : queue_) {
    auto& each = jobs_.at(number);
    if (each.query != query) continue;
    settings_->job.metrics->joined.add();
    each.waiters.push_back(who);
    return true;
  }
  return false;
}

bool lobby_export_state::join_running(const model::export_query& query, const export_waiter& who,
                                      const store::history_revisions& needs) {
  // The newest job first, because it is the most likely to cover everything.
  for (auto at = jobs_.rbegin(); at != jobs_.rend(); ++at) {
    auto& each = at->second;
    if ((!each.running && !each.followed) || each.query != query) continue;
    if (!each.snapshot) {
      each.undecided.push_back({who, needs});
      return true;
    }
    if (!each.snapshot->revisions.covers(needs)) continue;
    settings_->job.metrics->joined.add();
    each.waiters.push_back(who);
    return true;
  }
  return false;
}

bool lobby_export_state::give_finished(const model::export_query& query, const export_waiter& who,
                                       const store::history_revisions& needs) {
  const auto newest = settings_->registry->newest.find(query);
  if (newest == settings_->registry->newest.end()) return false;
  auto& file = settings_->registry->finished.at(newest->second);
  if (!store::is_as_new(file.facts, file.summary.snapshot, file.summary.has_running, needs,
                        settings_->job.link_end_s() * 1'000))
    return false;
  settings_->job.metrics->reused.add();
  effects_->answer(who, std::make_shared<const std::string>(issue_link(file, who.is_operator)));
  return true;
}

// -- jobs ---------------------------------------------------------------------

void lobby_export_state::add_job(const model::export_query& query, export_waiter who) {
  if (running_ >= settings_->jobs_limit) {
    if (queue_.size() >= settings_->queue_limit)
      return effects_->fail(who, too_many_queued(settings_->queue_limit));
    const auto share = share_of(settings_->queue_limit);
    if (jobs_of(query.game_id).queued >= share) {
      settings_->job.metrics->over_share.add();
      return effects_->fail(who, too_many_of_game_queued(share));
    }
  }
  const auto number = settings_->registry->next_number();
  job made;
  made.query = query;
  made.waiters.push_back(std::move(who));
  jobs_.emplace(number, std::move(made));
  queue_.push_back(number);
  start_queued();
}

void lobby_export_state::start_queued() {
  // A game that was not here waits for at most one turn of each that was.
  for (const auto number : queue_)
    if (const auto& game_id = jobs_.at(number).query.game_id; !turns_.contains(game_id))
      note_turn(game_id);
  while (running_ < settings_->jobs_limit && !queue_.empty()) {
    const auto number = take_next();
    note_turn(jobs_.at(number).query.game_id);
    run(number);
  }
  forget_turns();
}

std::uint64_t lobby_export_state::take_next() {
  const auto order_of = [this](std::uint64_t number) {
    const auto& game_id = jobs_.at(number).query.game_id;
    return std::pair{jobs_of(game_id).running, turns_.at(game_id)};
  };
  // Of one game the first.
  const auto next = std::ranges::min_element(queue_, {}, order_of);
  const auto number = *next;
  queue_.erase(next);
  return number;
}

lobby_export_state::game_jobs lobby_export_state::jobs_of(const model::uuid& game_id) const {
  game_jobs sum;
  for (const auto& [number, each] : jobs_) {
    if (each.query.game_id != game_id || each.followed) continue;
    ++(each.running ? sum.running : sum.queued);
  }
  return sum;
}

void lobby_export_state::forget_turns() {
  std::erase_if(turns_, [this](const auto& entry) {
    const auto [running, queued] = jobs_of(entry.first);
    return running + queued == 0;
  });
}

std::size_t lobby_export_state::share_of(std::size_t limit) const noexcept {
  return std::max<std::size_t>(1, limit * settings_->game_share_percent / 100);
}

void lobby_export_state::run(std::uint64_t number) {
  auto& each = jobs_.at(number);
  settings_->registry->add(number, each.query);
  if (effects_->run(number, each.query)) {
    each.running = true;
    ++running_;
    return;
  }
  settings_->registry->remove(number);
  const auto refused = jobs_.extract(number);
  for (const auto& who : refused.mapped().waiters)
    effects_->fail(who, pool_full());
}

void lobby_export_state::note_snapshot(std::uint64_t number,
                                       const store::history_snapshot& snapshot) {
  const auto found = jobs_.find(number);
  if (found == jobs_.end()) return;
  found->second.snapshot = snapshot;
  const auto query = found->second.query;
  for (auto& [who, needs] : std::exchange(found->second.undecided, {}))
    decide(query, std::move(who), needs);
}

void lobby_export_state::on(const export_ended& ended) {
  if (const auto known = jobs_.find(ended.job); known == jobs_.end() || !known->second.running)
    return;
  --running_;
  settings_->registry->remove(ended.job);
  if (ended.other && !ended.other->record.is_complete) {
    leave_to(*ended.other, ended.job);
    return start_queued();
  }
  auto over = jobs_.extract(ended.job);
  auto& [query, running, followed, snapshot, waiters, undecided] = over.mapped();
  if (ended.failure) {
    settings_->job.metrics->failed.add();
    // The job may have failed before it began to read.
    for (auto& each : undecided)
      waiters.push_back(std::move(each.who));
    for (const auto& who : waiters)
      effects_->fail(who, *ended.failure);
  } else {
    (ended.other ? settings_->job.metrics->reused : settings_->job.metrics->finished).add();
    give(keep(ended.facts, ended.summary), waiters);
    for (auto& [who, needs] : undecided)
      decide(query, std::move(who), needs);
  }
  start_queued();
}

lobby_export_state::finished_export&
lobby_export_state::keep(const store::export_facts& facts, const store::history_summary& summary) {
  auto& file =
      settings_->registry->finished.try_emplace(facts.export_id, finished_export{facts, summary, 0})
          .first->second;
  // If two jobs of the same query ran at once, reuse the file with the later snapshot.
  const auto [newest, added] =
      settings_->registry->newest.try_emplace(facts.query, facts.export_id);
  if (!added && settings_->registry->finished.at(newest->second).summary.snapshot.taken_ts <=
                    summary.snapshot.taken_ts)
    newest->second = facts.export_id;
  return file;
}

void lobby_export_state::give(finished_export& file, const std::vector<export_waiter>& waiters) {
  std::array<std::shared_ptr<const std::string>, 2> links;
  for (const auto& who : waiters) {
    auto& link = links[who.is_operator ? 1 : 0];
    if (!link) link = std::make_shared<const std::string>(issue_link(file, who.is_operator));
    effects_->answer(who, link);
  }
}

// -- jobs of other processes --------------------------------------------------

void lobby_export_state::start_following(job& which, const store::export_record& record) {
  which.followed = record;
  which.snapshot = record.snapshot;
  ++followed_;
}

void lobby_export_state::stop_following(job& which) {
  which.followed.reset();
  --followed_;
}

void lobby_export_state::leave_to(const store::other_export& other, std::uint64_t number) {
  auto& each = jobs_.at(number);
  each.running = false;
  start_following(each, other.record);
  auto undecided = std::exchange(each.undecided, {});
  if (other.needs)
    for (auto& who : std::exchange(each.waiters, {}))
      undecided.push_back({std::move(who), *other.needs});
  const auto query = each.query;
  for (auto& [who, needs] : undecided)
    decide(query, std::move(who), needs);
}

void lobby_export_state::note_found(const store::export_record& found) {
  if (found.is_complete) {
    keep(found.facts, summary_of(found));
    // The store has judged it, by clocks that agree.
    settings_->registry->newest[found.facts.query] = found.facts.export_id;
    return;
  }
  for (const auto& [number, each] : jobs_)
    if (each.followed && each.followed->facts.export_id == found.facts.export_id) return;
  job made;
  made.query = found.facts.query;
  start_following(made, found);
  jobs_.emplace(settings_->registry->next_number(), std::move(made));
}

void lobby_export_state::follow() {
  if (follow_under_way_ || !is_following()) return;
  std::vector<follow_request> requests;
  for (const auto& [number, each] : jobs_)
    if (each.followed) requests.push_back({number, *each.followed});
  // If the pool is full, the next time is soon enough.
  follow_under_way_ = effects_->follow(std::move(requests));
}

void lobby_export_state::on(const exports_followed& followed) {
  follow_under_way_ = false;
  for (const auto& [number, record] : followed.results) {
    const auto found = jobs_.find(number);
    if (found == jobs_.end() || !found->second.followed) continue;
    if (!record) {
      take_back(number);
    } else if (record->is_complete) {
      auto over = jobs_.extract(found);
      stop_following(over.mapped());
      give(keep(record->facts, summary_of(*record)), over.mapped().waiters);
      for (auto& [who, needs] : over.mapped().undecided)
        decide(over.mapped().query, std::move(who), needs);
    } else if (record->generation != found->second.followed->generation) {
      // A third process has taken it over, which reads a later state.
      found->second.followed = *record;
      found->second.snapshot.reset();
    } else if (record->snapshot && !found->second.snapshot) {
      note_snapshot(number, *record->snapshot);
    }
  }
}

void lobby_export_state::take_back(std::uint64_t number) {
  auto& each = jobs_.at(number);
  stop_following(each);
  each.snapshot.reset();
  for (auto& [who, needs] : std::exchange(each.undecided, {}))
    each.waiters.push_back(std::move(who));
  if (each.waiters.empty()) {
    jobs_.erase(number);
    return;
  }
  // They have waited before.
  queue_.push_front(number);
  start_queued();
}

// -- links --------------------------------------------------------------------

std::string lobby_export_state::issue_link(finished_export& file, bool is_operator) {
  const auto expires_s = is_operator ? settings_->job.clock->unix_ms() / 1'000 + operator_link_s
                                     : settings_->job.link_end_s();
  file.linked_until_ts = std::max(file.linked_until_ts, expires_s * 1'000);
  model::json_writer json;
  json.object().name("url");
  // An operator's is relative: it is of the plane that was asked.
  json.text(export_url(is_operator ? std::string{} : settings_->public_url, file.facts.export_id,
                       static_cast<std::uint64_t>(expires_s), *settings_->keys->current()));
  return json.end_object().take();
}

std::string lobby_export_state::list() const {
  model::json_writer json;
  json.object().name("exports").array();
  const auto progress = settings_->registry->running();
  for (const auto& [number, each] : jobs_) {
    const auto known = progress.find(number);
    const bool is_known = known != progress.end();
    write_export(json, each.query, each.running || each.followed ? "running" : "queued",
                 is_known ? known->second.rows : 0, is_known ? known->second.bytes : 0);
  }
  std::vector<const finished_export*> there;
  for (const auto& [id, file] : settings_->registry->finished)
    there.push_back(&file);
  std::ranges::sort(there, std::greater{},
                    [](const auto* file) { return file->facts.keep_until_ts; });
  there.resize(std::min(there.size(), listed_limit));
  for (const auto* file : there)
    write_export(json, file->facts.query, "complete", file->summary.rows, file->summary.bytes);
  return json.end_array().end_object().take();
}

// -- files and limits ---------------------------------------------------------

std::vector<model::uuid> lobby_export_state::over_at(std::int64_t now_ts) const {
  std::vector<model::uuid> over;
  const bool is_shared = settings_->job.files->is_shared();
  for (const auto& [id, file] : settings_->registry->finished)
    if ((is_shared ? file.facts.keep_until_ts : file.linked_until_ts) <= now_ts) over.push_back(id);
  return over;
}

void lobby_export_state::forget(const model::uuid& export_id) {
  const auto gone = settings_->registry->finished.extract(export_id);
  if (gone.empty()) return;
  const auto newest = settings_->registry->newest.find(gone.mapped().facts.query);
  if (newest != settings_->registry->newest.end() && newest->second == export_id)
    settings_->registry->newest.erase(newest);
}

std::size_t lobby_export_state::waiting_count() const {
  std::size_t sum = looking_.size();
  for (const auto& [number, each] : jobs_)
    sum += each.waiters.size() + each.undecided.size();
  return sum;
}

std::size_t lobby_export_state::waiting_count(const model::uuid& game_id) const {
  std::size_t sum = 0;
  for (const auto& [number, each] : looking_)
    if (each.query.game_id == game_id) ++sum;
  for (const auto& [number, each] : jobs_)
    if (each.query.game_id == game_id) sum += each.waiters.size() + each.undecided.size();
  return sum;
}

void lobby_export_state::forget_gone() {
  std::erase_if(looking_, [](const auto& each) { return each.second.who.is_gone(); });
  for (auto& [number, each] : jobs_) {
    std::erase_if(each.waiters, [](const export_waiter& who) { return who.is_gone(); });
    std::erase_if(each.undecided, [](const auto& entry) { return entry.who.is_gone(); });
  }
  // Nobody here waits for these.
  followed_ -= std::erase_if(jobs_, [](const auto& entry) {
    const auto& each = entry.second;
    return each.followed && each.waiters.empty() && each.undecided.empty();
  });
}

void lobby_export_state::clear() {
  jobs_.clear();
  queue_.clear();
  turns_.clear();
  running_ = 0;
  followed_ = 0;
  looking_.clear();
}

void lobby_export_state::count() const {
  auto& metrics = *settings_->job.metrics;
  metrics.running.set(static_cast<std::int64_t>(running_));
  metrics.queued.set(static_cast<std::int64_t>(queue_.size()));
  metrics.followed.set(static_cast<std::int64_t>(followed_));
  metrics.waiting.set(static_cast<std::int64_t>(waiting_count()));
}

} // namespace matchcloud::actors
