#include "actors/lobby_export_state.hpp"

#include "actors/export_link.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

/// Whether a state of the store includes everything that another included; revisions only grow.
bool covers(const store::history_revisions& state, const store::history_revisions& needs) noexcept {
  return state.lobbies >= needs.lobbies && state.catalog >= needs.catalog;
}

/// Whether exporting again could give different bytes although the store has not changed.
bool grows(const store::history_summary& summary, const model::export_query& query) noexcept {
  return summary.has_running &&
         query.span.end > static_cast<std::uint64_t>(summary.snapshot.taken_ts);
}

base::error too_many_waiting(std::size_t limit) {
  return {base::errc::exports_busy, std::to_string(limit) +
                                        " requests wait for exports already, as many as may. Come "
                                        "back after Retry-After."};
}

base::error too_many_queued(std::size_t limit) {
  return {base::errc::exports_busy,
          std::to_string(limit) + " exports wait for their turn already, as many as may. Come back "
                                  "after Retry-After."};
}

base::error pool_full() {
  return {base::errc::exports_busy,
          "More work waits for the disk than may. Come back after Retry-After."};
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

void lobby_export_state::ask(const model::export_query& query, const waiter& who) {
  // Earlier attempts of a front that died are still among the waiting requests.
  if (waiting_count() >= settings_->waiting_limit) forget_gone();
  if (waiting_count() >= settings_->waiting_limit)
    return effects_->fail(who, too_many_waiting(settings_->waiting_limit));
  if (join_queued(query, who)) return;
  if (is_known(query)) return look(query, who);
  add_job(query, who);
}

bool lobby_export_state::is_known(const model::export_query& query) const {
  return settings_->registry->newest.contains(query) ||
         std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const auto& each) { return each.second.query == query; });
}

void lobby_export_state::look(const model::export_query& query, waiter who) {
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
    requests.push_back({number, query.game_id,
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

void lobby_export_state::decide(const model::export_query& query, waiter who,
                                const store::history_revisions& needs) {
  if (who.is_gone() || join_queued(query, who) || join_running(query, who, needs) ||
      give_finished(query, who, needs))
    return;
  add_job(query, std::move(who));
}

bool lobby_export_state::join_queued(const model::export_query& query, const waiter& who) {
  for (const auto number : queue_) {
    auto& each = jobs_.at(number);
    if (each.query != query) continue;
    settings_->job.metrics->joined.add();
    each.waiters.push_back(who);
    return true;
  }
  return false;
}

bool lobby_export_state::join_running(const model::export_query& query, const waiter& who,
                                      const store::history_revisions& needs) {
  // The newest job first, because it is the most likely to cover everything.
  for (auto at = jobs_.rbegin(); at != jobs_.rend(); ++at) {
    auto& each = at->second;
    if (!each.running || each.query != query) continue;
    if (!each.snapshot) {
      each.undecided.push_back({who, needs});
      return true;
    }
    if (!covers(each.snapshot->revisions, needs)) continue;
    settings_->job.metrics->joined.add();
    each.waiters.push_back(who);
    return true;
  }
  return false;
}

bool lobby_export_state::give_finished(const model::export_query& query, const waiter& who,
                                       const store::history_revisions& needs) {
  const auto newest = settings_->registry->newest.find(query);
  if (newest == settings_->registry->newest.end()) return false;
  auto& file = settings_->registry->finished.at(newest->second);
  const bool lives_on = link_end_s() * 1'000 <= file.facts.keep_until_ts;
  if (!lives_on || grows(file.summary, query) || !covers(file.summary.snapshot.revisions, needs))
    return false;
  settings_->job.metrics->reused.add();
  effects_->answer(who, std::make_shared<const std::string>(issue_link(file)));
  return true;
}

// -- jobs ---------------------------------------------------------------------

void lobby_export_state::add_job(const model::export_query& query, waiter who) {
  if (running_ >= settings_->jobs_limit && queue_.size() >= settings_->queue_limit)
    return effects_->fail(who, too_many_queued(settings_->queue_limit));
  const auto number = settings_->registry->next_number();
  job made;
  made.query = query;
  made.waiters.push_back(std::move(who));
  jobs_.emplace(number, std::move(made));
  queue_.push_back(number);
  start_queued();
}

void lobby_export_state::start_queued() {
  while (running_ < settings_->jobs_limit && !queue_.empty()) {
    const auto number = queue_.front();
    queue_.pop_front();
    run(number);
  }
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

void lobby_export_state::on(const export_begun& begun) {
  const auto found = jobs_.find(begun.job);
  if (found == jobs_.end()) return;
  found->second.snapshot = begun.snapshot;
  for (auto& [who, needs] : std::exchange(found->second.undecided, {}))
    decide(found->second.query, std::move(who), needs);
}

void lobby_export_state::on(const export_ended& ended) {
  auto found = jobs_.extract(ended.job);
  if (found.empty()) return;
  --running_;
  auto& [query, running, snapshot, waiters, undecided] = found.mapped();
  if (ended.failure) {
    settings_->registry->remove(ended.job);
    settings_->job.metrics->failed.add();
    // The job may have failed before it began to read.
    for (auto& each : undecided)
      waiters.push_back(std::move(each.who));
    for (const auto& who : waiters)
      effects_->fail(who, *ended.failure);
  } else {
    settings_->job.metrics->finished.add();
    keep(ended, waiters);
  }
  start_queued();
}

void lobby_export_state::keep(const export_ended& ended, const std::vector<waiter>& waiters) {
  const auto& facts = ended.facts;
  auto& file = settings_->registry->finished[facts.export_id] = {facts, ended.summary, 0};
  // If two jobs of the same query ran at once, reuse the file with the later snapshot.
  const auto [newest, added] =
      settings_->registry->newest.try_emplace(facts.query, facts.export_id);
  if (!added && settings_->registry->finished.at(newest->second).summary.snapshot.taken_ts <=
                    ended.summary.snapshot.taken_ts)
    newest->second = facts.export_id;
  settings_->registry->remove(ended.job);
  const auto json = std::make_shared<const std::string>(issue_link(file));
  for (const auto& who : waiters)
    effects_->answer(who, json);
}

std::int64_t lobby_export_state::link_end_s() const {
  const auto end_ms = settings_->job.clock->unix_ms() + settings_->job.url_lifetime.count();
  return (end_ms + 999) / 1'000;
}

std::string lobby_export_state::issue_link(finished_export& file) {
  const auto expires_s = link_end_s();
  file.linked_until_ts = std::max(file.linked_until_ts, expires_s * 1'000);
  model::json_writer json;
  json.object().name("url");
  json.text(export_url(settings_->public_url, file.facts.export_id,
                       static_cast<std::uint64_t>(expires_s), *settings_->keys->current()));
  return json.end_object().take();
}

// -- files and limits ---------------------------------------------------------

std::vector<model::uuid> lobby_export_state::over_at(std::int64_t now_ts) const {
  std::vector<model::uuid> over;
  for (const auto& [id, file] : settings_->registry->finished)
    if (file.linked_until_ts <= now_ts) over.push_back(id);
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

void lobby_export_state::forget_gone() {
  std::erase_if(looking_, [](const auto& each) { return each.second.who.is_gone(); });
  for (auto& [number, each] : jobs_) {
    std::erase_if(each.waiters, [](const waiter& who) { return who.is_gone(); });
    std::erase_if(each.undecided, [](const auto& entry) { return entry.who.is_gone(); });
  }
}

void lobby_export_state::clear() {
  jobs_.clear();
  queue_.clear();
  running_ = 0;
  looking_.clear();
}

void lobby_export_state::count() const {
  auto& metrics = *settings_->job.metrics;
  metrics.running.set(static_cast<std::int64_t>(running_));
  metrics.queued.set(static_cast<std::int64_t>(queue_.size()));
  metrics.waiting.set(static_cast<std::int64_t>(waiting_count()));
}

} // namespace matchcloud::actors
