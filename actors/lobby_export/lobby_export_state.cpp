#include "actors/lobby_export/lobby_export_state.hpp"

#include "actors/lobby_export/export_job.hpp"
#include "actors/request/ticket.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace matchcloud::actors {

namespace {

base::error busy(const std::string& what, std::size_t limit, std::string_view more) {
  return {base::errc::exports_busy, what + " (" + std::to_string(limit) + std::string{more}};
}

/// How long a link of an operator is valid, in seconds.
constexpr std::int64_t operator_link_s = 60;

/// The time from which an export has all lobbies; 0: it has all.
std::int64_t missing_before(const model::export_query& query,
                            const store::history_snapshot& snapshot) noexcept {
  const auto from = snapshot.complete_from_ts;
  return from > 0 && query.span.begin < static_cast<std::uint64_t>(from) ? from : 0;
}

base::error pool_full() {
  return {base::errc::exports_busy, "The disk queue is full. Retry after the time in Retry-After."};
}

} // namespace

void lobby_export_state::begin(const services& with, const lobby_export_settings& settings,
                               export_effects& effects) {
  settings_ = nullptr;
  end();
  with_ = &with;
  settings_ = &settings;
  effects_ = &effects;
}

void lobby_export_state::end() {
  std::erase_if(jobs_, [](const auto& each) { return !each.second.is_running(); });
  for (auto& [number, each] : jobs_)
    each = {.query = each.query,
            .state = each.state,
            .runs_alone = each.runs_alone,
            .snapshot = each.snapshot};
  queue_.clear();
  turns_.clear();
  looking_.clear();
  next_look_.clear();
  look_under_way_ = false;
  follow_under_way_ = false;
  if (settings_ != nullptr) count();
  settings_ = nullptr;
}

// -- requests -----------------------------------------------------------------

void lobby_export_state::ask(const model::export_query& query, const export_waiter& who) {
  const auto limit = settings_->waiting_limit;
  const auto share = share_of(limit);
  const auto is_full = [&] { return sum_of().waiting >= limit; };
  const auto is_share_full = [&] { return sum_of(&query.game_id).waiting >= share; };
  // Earlier attempts of a front that died are still among the waiting requests.
  if (is_full() || is_share_full()) forget_gone();
  if (is_full())
    return effects_->fail(who, busy("Too many requests are waiting for exports", limit,
                                    "). Retry after the time in Retry-After."));
  if (is_share_full()) {
    with_->export_metrics->over_share.add();
    return effects_->fail(
        who, busy("Too many requests are waiting for exports of this game", share,
                  ", its share by export-share-percent). Retry after the time in Retry-After."));
  }
  if (join_queued(query, who)) return;
  next_look_.push_back({query, who});
  start_looking();
}

void lobby_export_state::start_looking() {
  if (look_under_way_ || next_look_.empty()) return;
  looking_ = std::exchange(next_look_, {});
  files_by_query queries;
  for (const auto& [query, who] : looking_) {
    const auto* file = newest_of(query);
    queries[query] = file ? std::optional{file->facts.export_id} : std::nullopt;
  }
  look_under_way_ = effects_->look(std::move(queries));
  if (look_under_way_) return;
  for (const auto& [query, who] : std::exchange(looking_, {}))
    effects_->fail(who, pool_full());
}

void lobby_export_state::on(const history_looked& looked) {
  look_under_way_ = false;
  for (const auto& [query, each] : looked.results) {
    if (each.missing) forget(*each.missing);
    if (each.found) note_found(*each.found);
  }
  for (auto& [query, who] : std::exchange(looking_, {})) {
    if (looked.failure)
      effects_->fail(who, *looked.failure);
    else
      decide(query, std::move(who), looked.results.at(query).revisions);
  }
  start_looking();
}

void lobby_export_state::decide(const model::export_query& query,
                                std::vector<undecided_waiter>&& all) {
  for (auto& [who, needs] : all)
    decide(query, std::move(who), needs);
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
    with_->export_metrics->joined.add();
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
    if (each.is_queued() || each.query != query) continue;
    if (!each.snapshot) {
      each.undecided.push_back({who, needs});
      return true;
    }
    if (!each.snapshot->revisions.covers(needs)) continue;
    with_->export_metrics->joined.add();
    each.waiters.push_back(who);
    return true;
  }
  return false;
}

bool lobby_export_state::give_finished(const model::export_query& query, const export_waiter& who,
                                       const store::history_revisions& needs) {
  auto* file = newest_of(query);
  if (file == nullptr ||
      !store::is_as_new(file->facts, file->summary.snapshot, file->summary.has_running, needs,
                        settings_->job.link_end_s(*with_->clock) * 1'000))
    return false;
  with_->export_metrics->reused.add();
  give(*file, {who});
  return true;
}

lobby_export_state::finished_export*
lobby_export_state::newest_of(const model::export_query& query) {
  const auto newest = newest_.find(query);
  return newest == newest_.end() ? nullptr : &finished_.at(newest->second);
}

// -- jobs ---------------------------------------------------------------------

void lobby_export_state::add_job(const model::export_query& query, export_waiter who) {
  forget_unwanted();
  if (sum_of().running >= settings_->jobs_limit) {
    const auto limit = settings_->queue_limit;
    if (queue_.size() >= limit)
      return effects_->fail(who, busy("The export queue is full", limit,
                                      " exports). Retry after the time in Retry-After."));
    if (const auto share = share_of(limit); sum_of(&query.game_id).queued >= share) {
      with_->export_metrics->over_share.add();
      return effects_->fail(who, busy("This game's share of the export queue is full", share,
                                      " exports, export-share-percent). Wait for the game's other "
                                      "exports, or retry after the time in Retry-After."));
    }
  }
  jobs_[++last_number_] = {.query = query, .waiters = {std::move(who)}};
  queue_.push_back(last_number_);
  start_queued();
}

void lobby_export_state::start_queued() {
  forget_unwanted();
  // A game that is new here waits for at most one turn of each of the others.
  for (const auto number : queue_)
    if (const auto& game_id = jobs_.at(number).query.game_id; !turns_.contains(game_id))
      note_turn(game_id);
  while (sum_of().running < settings_->jobs_limit && !queue_.empty()) {
    const auto number = take_next();
    if (!number) break;
    note_turn(jobs_.at(*number).query.game_id);
    run(*number);
  }
  std::erase_if(turns_, [this](const auto& entry) {
    const auto of_game = sum_of(&entry.first);
    return of_game.running + of_game.queued == 0;
  });
}

bool lobby_export_state::may_start(const job& which) const {
  return std::ranges::none_of(jobs_, [&](const auto& entry) {
    const auto& [number, each] = entry;
    return each.is_running() && each.query.game_id == which.query.game_id &&
           (each.runs_alone || which.runs_alone);
  });
}

std::optional<std::uint64_t> lobby_export_state::take_next() {
  const auto order_of = [this](std::uint64_t number) {
    const auto& game_id = jobs_.at(number).query.game_id;
    return std::pair{sum_of(&game_id).running, turns_.at(game_id)};
  };
  // Within a game, the first job.
  auto next = queue_.end();
  for (auto at = queue_.begin(); at != queue_.end(); ++at)
    if (may_start(jobs_.at(*at)) && (next == queue_.end() || order_of(*at) < order_of(*next)))
      next = at;
  if (next == queue_.end()) return std::nullopt;
  const auto number = *next;
  queue_.erase(next);
  return number;
}

std::size_t lobby_export_state::share_of(std::size_t limit) const noexcept {
  return std::max<std::size_t>(1, limit * settings_->game_share_percent / 100);
}

void lobby_export_state::run(std::uint64_t number) {
  auto& each = jobs_.at(number);
  const base::about_request about{each.waiters.empty() ? base::request_marks{}
                                                       : marks_of(each.waiters.front().ticket)};
  running now;
  for (auto& [of_other, other] : jobs_)
    if (auto* const beside = std::get_if<running>(&other.state);
        beside && other.query.game_id == each.query.game_id)
      now.had_company = beside->had_company = true;
  if (effects_->run(number, each.query))
    each.state = now;
  else
    fail_all(jobs_.extract(number).mapped().waiters, pool_full());
}

void lobby_export_state::fail_all(const std::vector<export_waiter>& waiters,
                                  const base::error& why) {
  for (const auto& who : waiters)
    effects_->fail(who, why);
}

void lobby_export_state::on(const export_begun& begun) {
  const auto found = jobs_.find(begun.job);
  if (found == jobs_.end()) return;
  found->second.snapshot = begun.snapshot;
  decide(model::export_query{found->second.query}, std::exchange(found->second.undecided, {}));
}

void lobby_export_state::on(const export_ended& ended) {
  const auto known = jobs_.find(ended.job);
  reports_->forget(ended.job);
  if (known == jobs_.end() || !known->second.is_running()) return;
  auto& each = known->second;
  for (const auto& who : each.waiters)
    note_work(who.ticket, "store", ended.took);
  if (ended.failure && ended.failure->code == base::errc::exports_full &&
      std::get<running>(each.state).had_company && !each.runs_alone) {
    each.runs_alone = true;
    take_back(ended.job);
  } else if (ended.failure) {
    with_->export_metrics->failed.add();
    auto over = jobs_.extract(known);
    fail_all(over.mapped().waiters, *ended.failure);
    // The job may have failed before it began to read.
    for (const auto& [who, needs] : over.mapped().undecided)
      effects_->fail(who, *ended.failure);
  } else if (ended.other && !ended.other->record.is_complete) {
    leave_to(*ended.other, each);
  } else {
    (ended.other ? with_->export_metrics->reused : with_->export_metrics->finished).add();
    finish(ended.job, ended.facts, ended.summary);
  }
  start_queued();
}

void lobby_export_state::finish(std::uint64_t number, const store::export_facts& facts,
                                const store::history_summary& summary) {
  auto over = jobs_.extract(number);
  give(keep(facts, summary), over.mapped().waiters);
  decide(over.mapped().query, std::move(over.mapped().undecided));
}

lobby_export_state::finished_export&
lobby_export_state::keep(const store::export_facts& facts, const store::history_summary& summary) {
  auto& file =
      finished_.try_emplace(facts.export_id, finished_export{facts, summary}).first->second;
  // If two jobs of the same query ran at once, reuse the file with the later snapshot.
  const auto* newest = newest_of(facts.query);
  if (!newest || newest->summary.snapshot.taken_ts <= summary.snapshot.taken_ts)
    newest_[facts.query] = facts.export_id;
  return file;
}

void lobby_export_state::give(const finished_export& file,
                              const std::vector<export_waiter>& waiters) {
  std::array<std::shared_ptr<const std::string>, 2> links;
  for (const auto& who : waiters) {
    auto& link = links[who.is_operator ? 1 : 0];
    if (!link) link = std::make_shared<const std::string>(issue_link(file, who.is_operator));
    effects_->answer(who, link, missing_before(file.facts.query, file.summary.snapshot));
  }
}

// -- jobs of other processes --------------------------------------------------

void lobby_export_state::leave_to(const store::other_export& other, job& which) {
  which.state = followed{other.record};
  which.snapshot = other.record.snapshot;
  auto undecided = std::exchange(which.undecided, {});
  if (other.needs)
    for (auto& who : std::exchange(which.waiters, {}))
      undecided.push_back({std::move(who), *other.needs});
  decide(model::export_query{which.query}, std::move(undecided));
}

void lobby_export_state::note_found(const store::export_record& found) {
  if (found.is_complete) {
    keep(found.facts, summary_of(found));
    // The store has already compared the times, with one clock.
    newest_[found.facts.query] = found.facts.export_id;
    return;
  }
  for (const auto& [number, each] : jobs_)
    if (const auto* const at = std::get_if<followed>(&each.state);
        at && at->record.facts.export_id == found.facts.export_id)
      return;
  jobs_[++last_number_] = {
      .query = found.facts.query, .state = followed{found}, .snapshot = found.snapshot};
}

void lobby_export_state::follow() {
  if (follow_under_way_ || !is_following()) return;
  std::vector<follow_request> requests;
  for (const auto& [number, each] : jobs_)
    if (const auto* const at = std::get_if<followed>(&each.state))
      requests.push_back({number, at->record});
  // If the pool is full, the next time is soon enough.
  follow_under_way_ = effects_->follow(std::move(requests));
}

void lobby_export_state::on(const exports_followed& news) {
  follow_under_way_ = false;
  for (const auto& [number, record] : news.results) {
    const auto found = jobs_.find(number);
    if (found == jobs_.end() || !found->second.is_followed()) continue;
    auto& each = found->second;
    auto& known = std::get<followed>(each.state).record;
    if (!record) {
      take_back(number);
    } else if (record->is_complete) {
      finish(number, record->facts, summary_of(*record));
    } else if (record->generation != known.generation) {
      // A third process has taken it over, which reads a later state.
      known = *record;
      each.snapshot.reset();
    } else if (record->snapshot && !each.snapshot) {
      on(export_begun{number, *record->snapshot});
    }
  }
}

void lobby_export_state::take_back(std::uint64_t number) {
  auto& each = jobs_.at(number);
  each.state = queued{};
  each.snapshot.reset();
  for (auto& [who, needs] : std::exchange(each.undecided, {}))
    each.waiters.push_back(std::move(who));
  if (each.waiters.empty()) {
    jobs_.erase(number);
    return;
  }
  // Its requests have already waited.
  queue_.push_front(number);
  start_queued();
}

// -- links --------------------------------------------------------------------

std::string lobby_export_state::issue_link(const finished_export& file, bool is_operator) {
  const auto expires_s = is_operator ? with_->clock->unix_ms() / 1'000 + operator_link_s
                                     : settings_->job.link_end_s(*with_->clock);
  // An operator's link is relative, because it belongs to the plane that the request came in on.
  return model::to_json(
      "url", export_url(is_operator ? std::string{} : settings_->public_url, file.facts.export_id,
                        static_cast<std::uint64_t>(expires_s), *with_->signing_keys->current()));
}

std::string lobby_export_state::list() const {
  std::vector<shown_export> all;
  for (const auto& [number, each] : jobs_) {
    const auto progress = reports_->of(number);
    all.push_back({each.query,
                   each.is_queued() ? export_progress::queued : export_progress::running,
                   progress.rows, progress.bytes});
  }
  std::vector<const finished_export*> there;
  for (const auto& [id, file] : finished_)
    there.push_back(&file);
  std::ranges::sort(there, std::greater{},
                    [](const auto* file) { return file->facts.keep_until_ts; });
  there.resize(std::min(there.size(), listed_limit));
  for (const auto* file : there)
    all.push_back(
        {file->facts.query, export_progress::complete, file->summary.rows, file->summary.bytes});
  return model::to_json("exports", all);
}

// -- files and limits ---------------------------------------------------------

std::vector<model::uuid> lobby_export_state::over_at(std::int64_t now_ts) const {
  std::vector<model::uuid> over;
  for (const auto& [id, file] : finished_)
    if (file.facts.keep_until_ts <= now_ts) over.push_back(id);
  return over;
}

void lobby_export_state::forget(const model::uuid& export_id) {
  const auto gone = finished_.extract(export_id);
  if (gone.empty()) return;
  const auto newest = newest_.find(gone.mapped().facts.query);
  if (newest != newest_.end() && newest->second == export_id) newest_.erase(newest);
}

lobby_export_state::sums lobby_export_state::sum_of(const model::uuid* game_id) const {
  sums sum;
  const auto is_meant = [&](const model::export_query& query) {
    return game_id == nullptr || query.game_id == *game_id;
  };
  for (const auto* requests : {&looking_, &next_look_})
    for (const auto& each : *requests)
      if (is_meant(each.query)) ++sum.waiting;
  for (const auto& [number, each] : jobs_) {
    if (!is_meant(each.query)) continue;
    ++(each.is_followed() ? sum.followed : each.is_running() ? sum.running : sum.queued);
    sum.waiting += each.waiters.size() + each.undecided.size();
  }
  return sum;
}

void lobby_export_state::forget_gone() {
  const auto is_gone = [](const auto& each) { return each.who.is_gone(); };
  std::erase_if(looking_, is_gone);
  std::erase_if(next_look_, is_gone);
  for (auto& [number, each] : jobs_) {
    std::erase_if(each.waiters, [](const export_waiter& who) { return who.is_gone(); });
    std::erase_if(each.undecided, is_gone);
  }
  // No request here waits for these.
  std::erase_if(jobs_, [](const auto& entry) {
    const auto& each = entry.second;
    return each.is_followed() && each.waiters.empty() && each.undecided.empty();
  });
  forget_unwanted();
}

void lobby_export_state::forget_unwanted() {
  std::erase_if(queue_, [this](std::uint64_t number) {
    const auto& waiters = jobs_.at(number).waiters;
    if (!std::ranges::all_of(waiters, &export_waiter::is_gone)) return false;
    jobs_.erase(number);
    return true;
  });
}

void lobby_export_state::count() const {
  auto& metrics = *with_->export_metrics;
  const auto sum = sum_of();
  metrics.running.set(static_cast<std::int64_t>(sum.running));
  metrics.queued.set(static_cast<std::int64_t>(sum.queued));
  metrics.followed.set(static_cast<std::int64_t>(sum.followed));
  metrics.waiting.set(static_cast<std::int64_t>(sum.waiting));
}

} // namespace matchcloud::actors
