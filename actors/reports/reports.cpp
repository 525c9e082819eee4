#include "actors/reports/reports.hpp"

#include "base/faults.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace matchcloud::actors {

namespace {

constexpr std::string_view metrics_type = "text/plain; version=0.0.4";
constexpr std::string_view events_type = "text/event-stream";
constexpr std::string_view json_type = "application/json";

} // namespace

reports::reports(caf::actor_config& cfg, const services& with, reports_settings settings)
    : supervised_actor{cfg, {}}, with_{&with}, settings_{std::move(settings)} {}

caf::behavior reports::make_behavior() {
  be_strict();
  delayed_send(this, settings_.tick, tell_status{});
  return {
      [this](const render_report& request) { handle(request); },
      [this](const survey_lobbies& request) { handle(request); },
      [this](const lobbies_surveyed& ended) {
        if (ended.failure)
          send(ended.front, operation_failed{ended.exchange, *ended.failure});
        else
          send(ended.front, json_made{ended.exchange, ended.json});
      },
      [this](const watch_status& request) { handle(request); },
      [this](const answer_taken& taken) { on(taken); },
      [this](tell_status) { on_tick(); },
  };
}

void reports::handle(const render_report& request) {
  own_statistics().count_handled();
  if (is_over(request.ticket)) return;
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  const auto render = [&]() -> base::expected<std::string> {
    switch (request.what) {
    case render_report::kind::metrics: return settings_.from.metrics();
    case render_report::kind::actors: return settings_.from.actors();
    case render_report::kind::places: return settings_.from.places();
    case render_report::kind::traces: return settings_.from.traces(request.traces);
    case render_report::kind::past: return settings_.from.past(request.past);
    case render_report::kind::attention: return settings_.from.attention();
    case render_report::kind::replicas: return settings_.from.replicas();
    }
    return std::string{};
  };
  auto made = render();
  if (!made) return send(front, operation_failed{request.exchange, made.error()});
  send(front, text_made{request.exchange,
                        request.what == render_report::kind::metrics ? metrics_type : json_type,
                        std::make_shared<const std::string>(*std::move(made))});
}

void reports::handle(const survey_lobbies& request) {
  own_statistics().count_handled();
  if (is_over(request.ticket)) return;
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  const auto survey = [self = caf::actor_cast<caf::actor>(this), front, request,
                       database = with_->database, gone = ended_] {
    const auto is_unwanted = [&] { return is_over(request.ticket) || *gone; };
    if (is_unwanted()) return;
    lobbies_surveyed ended{request.exchange, front, {}, {}};
    survey_bounds within;
    within.is_unwanted = is_unwanted;
    const auto surveyed = [&] {
      const traced_step step{request.ticket.get(), "store"};
      const base::faults::about_game about{request.game_id.bytes};
      return survey_lobbies_of(request.game_id, request.query, *database, within);
    };
    if (auto made = surveyed())
      ended.json = std::make_shared<const std::string>(*std::move(made));
    else
      ended.failure = std::make_shared<const base::error>(std::move(made).error());
    caf::anon_send(self, std::move(ended));
  };
  const base::about_request about{marks_of(request.ticket)};
  if (!with_->surveying->submit(base::for_this_request(survey)))
    send(front, operation_failed{request.exchange,
                                 {base::errc::overloaded,
                                  "Too many surveys are waiting for the store. Retry later."}});
}

void reports::handle(const watch_status& request) {
  own_statistics().count_handled();
  if (is_over(request.ticket)) return;
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  if (watchers_.size() >= settings_.watchers_limit)
    return send(front, operation_failed{request.exchange,
                                        {base::errc::overloaded,
                                         "Too many clients are watching. Retry later."}});
  send(front, answer_begun{request.exchange, events_type});
  auto& added = watchers_[request.exchange.exchange];
  added = {front, request.exchange, request.ticket};
  send_to(added, status_event());
}

void reports::on(const answer_taken& taken) {
  const auto found = watchers_.find(taken.exchange.exchange);
  if (found == watchers_.end()) return;
  auto& unread = found->second.unread_bytes;
  unread -= std::min(unread, taken.bytes);
}

void reports::on_tick() {
  delayed_send(this, settings_.tick, tell_status{});
  if (settings_.from.sample) settings_.from.sample();
  std::erase_if(watchers_, [](const auto& each) { return is_over(each.second.ticket); });
  if (watchers_.empty()) return;
  const auto event = status_event();
  for (auto& [exchange, to] : watchers_)
    send_to(to, event);
}

void reports::send_to(watcher& to, const std::shared_ptr<const std::string>& event) {
  if (to.unread_bytes + event->size() > unread_limit_bytes) return;
  to.unread_bytes += event->size();
  send(to.front, answer_part{to.exchange, event, false});
}

std::shared_ptr<const std::string> reports::status_event() const {
  return std::make_shared<const std::string>("event: status\ndata: " + settings_.from.status() +
                                             "\n\n");
}

} // namespace matchcloud::actors
