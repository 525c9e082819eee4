#include "actors/lobby_export/lobby_export.hpp"

#include "actors/news/messages.hpp"
#include "actors/request/messages.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"

#include <map>
#include <utility>

namespace matchcloud::actors {

namespace {

/// `linked_until_ts` as in `store::export_request`. Throws `base::failure`.
std::map<model::export_query, history_looked::result> find_for(const files_by_query& queries,
                                                               store::database& in,
                                                               store::export_store& files,
                                                               std::int64_t linked_until_ts) {
  std::map<model::export_query, history_looked::result> results;
  {
    const auto from = base::value_of(in.history());
    for (const auto& [query, file] : queries)
      results[query].revisions = base::value_of(from->revisions(query.game_id));
  }
  // Without the session above, because this may need one, too.
  for (const auto& [query, file] : queries) {
    auto& result = results[query];
    if (auto found = base::value_of(files.find(query, linked_until_ts)))
      result.found = std::make_shared<const store::export_record>(*std::move(found));
    const bool is_there = result.found && file == result.found->facts.export_id;
    if (file && !is_there && !files.has(*file)) result.missing = file;
  }
  return results;
}

history_looked look_at(const files_by_query& queries, store::database& in,
                       store::export_store& files, std::int64_t linked_until_ts) {
  auto found = base::attempt([&] { return find_for(queries, in, files, linked_until_ts); });
  if (found) return {*std::move(found), {}};
  base::log(base::log_event::export_failed, "export: {}", base::to_string(found.error()));
  return {{}, std::make_shared<const base::error>(history_unreadable())};
}

exports_followed follow_all(store::export_store& files, const std::vector<follow_request>& jobs) {
  exports_followed followed;
  for (const auto& each : jobs) {
    auto found = files.follow(each.record);
    if (!found) {
      // The requests keep waiting: the other process may be able to reach the store.
      base::log(base::log_event::export_hampered, "export: {}", base::to_string(found.error()));
      break;
    }
    followed.results.push_back(
        {each.job,
         *found ? std::make_shared<const store::export_record>(**std::move(found)) : nullptr});
  }
  return followed;
}

} // namespace

lobby_export::lobby_export(caf::actor_config& cfg, const services& with,
                           lobby_export_settings settings, model::catalog_snapshot catalog)
    : supervised_actor{cfg,
                       {base::fault_point::lobby_export_receive,
                        base::fault_point::lobby_export_reply}},
      with_{&with},
      settings_{std::move(settings)},
      catalog_{std::move(catalog)},
      state_{with.export_state} {}

template <class News>
auto lobby_export::taking() {
  return [this](const News& news) {
    state_->on(news);
    note_change();
  };
}

void lobby_export::note_change() {
  state_->count();
  if (follows_soon_ || !state_->is_following()) return;
  follows_soon_ = true;
  delayed_send(this, settings_.follow_interval, exports_following{});
}

caf::behavior lobby_export::make_behavior() {
  be_strict();
  state_->begin(*with_, settings_, *this);
  state_->reports()->subscribe(caf::actor_cast<caf::actor>(this));
  do_housekeeping();
  return {
      serving<export_lobbies>([this](const export_lobbies& request) {
        handle(request);
        note_change();
      }),
      serving<list_exports>([this](const list_exports& request) {
        reply(caf::actor_cast<caf::actor>(current_sender()),
              json_made{request.exchange, std::make_shared<const std::string>(state_->list())},
              request.ticket);
      }),
      taking<history_looked>(),
      taking<export_begun>(),
      taking<export_ended>(),
      taking<exports_followed>(),
      [this](exports_following) {
        follows_soon_ = false;
        state_->follow();
        note_change();
      },
      [this](exports_housekeeping) { do_housekeeping(); },
      [this](const catalog_changed& news) { catalog_ = news.snapshot; },
  };
}

void lobby_export::on_exit() {
  state_->reports()->subscribe(nullptr);
  state_->end();
}

void lobby_export::handle(const export_lobbies& request) {
  const export_waiter who{
      {caf::actor_cast<caf::actor>(current_sender()), request.exchange, request.ticket},
      request.is_for_operator};
  const auto span = model::read_export_span(*request.body, settings_.body_rules);
  if (!span) return fail(who, span.error());
  if (catalog_->find_game(request.game_id) == nullptr)
    return fail(who, model::no_such_game(request.game_id));
  state_->ask({request.game_id, *span, request.dialect}, who);
}

bool lobby_export::look(files_by_query queries) {
  return with_->store_work->submit(
      [self = caf::actor_cast<caf::actor>(this), database = with_->database, files = with_->exports,
       linked_until_ts = settings_.job.link_end_s(*with_->clock) * 1'000,
       queries = std::move(queries)] {
        caf::anon_send(self, look_at(queries, *database, *files, linked_until_ts));
      });
}

bool lobby_export::follow(std::vector<follow_request> jobs) {
  return with_->store_work->submit(
      [self = caf::actor_cast<caf::actor>(this), files = with_->exports, jobs = std::move(jobs)] {
        caf::anon_send(self, follow_all(*files, jobs));
      });
}

bool lobby_export::run(std::uint64_t job, const model::export_query& query) {
  return with_->long_work->submit(base::for_this_request(
      [job, query, with = with_, settings = settings_.job, reports = state_->reports()] {
        run_export(*with, settings, job, query, *reports);
      }));
}

void lobby_export::answer(const waiter& who, const std::shared_ptr<const std::string>& json,
                          std::int64_t complete_from_ts) {
  if (!who.is_gone())
    reply(who.front, export_linked{who.exchange, json, complete_from_ts}, who.ticket);
}

void lobby_export::fail(const waiter& who, const base::error& why) {
  if (!who.is_gone()) reply(who.front, operation_failed{who.exchange, why}, who.ticket);
}

void lobby_export::do_housekeeping() {
  delayed_send(this, settings_.tick, exports_housekeeping{});
  state_->forget_gone();
  const auto now_ts = with_->clock->unix_ms();
  const auto over = state_->over_at(now_ts);
  const auto remove = [over](store::export_store& files) {
    for (const auto& id : over)
      files.remove(id);
  };
  if (!over.empty() && tidy(remove))
    for (const auto& id : over)
      state_->forget(id);
  state_->count();
  const auto sweep = [now_ts](store::export_store& files) {
    if (const auto swept = files.sweep(now_ts); !swept)
      base::log(base::log_event::export_failed, "exports: {}", base::to_string(swept.error()));
  };
  const auto now = with_->clock->now();
  auto& next_sweep = state_->tidying()->next_sweep;
  if (now >= next_sweep && tidy(sweep)) next_sweep = now + settings_.sweep_interval;
}

bool lobby_export::tidy(std::function<void(store::export_store&)> work) {
  const auto& tidying = state_->tidying();
  if (tidying->is_under_way.exchange(true)) return false;
  const auto taken =
      with_->tidy_work->submit([files = with_->exports, tidying, work = std::move(work)] {
        work(*files);
        tidying->is_under_way = false;
      });
  if (!taken) tidying->is_under_way = false;
  return taken;
}

} // namespace matchcloud::actors
