#include "actors/supervision/supervisor.hpp"

#include "actors/news/messages.hpp"
#include "actors/supervision/messages.hpp"
#include "base/events/log.hpp"

#include <caf/exit_reason.hpp>
#include <utility>

namespace matchcloud::actors {

supervisor::supervisor(caf::actor_config& cfg, supervisor_settings settings)
    : supervised_actor{cfg,
                       {base::fault_point::supervisor_receive,
                        base::fault_point::supervisor_reply}},
      settings_{std::move(settings)},
      children_{settings_.children},
      random_{settings_.seed} {}

caf::behavior supervisor::make_behavior() {
  be_strict();
  set_down_handler([this](caf::down_msg& down) { on_down(down); });
  adopt();
  announce();
  return {
      [this](const catalog_changed& news) { children_->set_catalog(news.snapshot); },
      [this](const tokens_changed& news) { children_->set_tokens(news.tokens); },
      [this](const geoip_changed& news) { children_->set_geoip(news.geoip); },
      [this](const latencies_changed& news) { children_->set_latencies(news.latencies); },
      [this](const restart_child& due) {
        if (children_->is_stopping() || children_->actor(due.child)) return;
        start(due.child);
        announce();
      },
      [this](actors::check_storms) { check_storms_now(); },
      [this](stop_all) { stop(); },
  };
}

void supervisor::on_exit() {
  for (std::size_t i = 0; i < children_->size(); ++i)
    if (const auto& child = children_->actor(i)) demonitor(child.address());
}

void supervisor::adopt() {
  children_->count_supervisor();
  storming_ = children_->storms();
  if (storming_) check_storms_now();
  for (std::size_t i = 0; i < children_->size(); ++i) {
    // If the actor has died by now, the down message arrives at once.
    if (const auto& child = children_->actor(i))
      monitor(child);
    else
      start(i);
  }
}

void supervisor::start(std::size_t child) {
  auto started = children_->spec(child).start(children_->initial());
  // Tests start actors of other types.
  const auto* known =
      dynamic_cast<const supervised_actor*>(caf::actor_cast<caf::abstract_actor*>(started));
  monitor(started);
  children_->record_start(child, std::move(started), known ? known->statistics() : nullptr,
                          settings_.clock->now());
}

void supervisor::on_down(const caf::down_msg& down) {
  const auto child = children_->find(down.source);
  if (!child) return;
  if (!children_->is_stopping()) wake();
  const auto delay = children_->record_exit(*child, to_string(down.reason), settings_.clock->now(),
                                            static_cast<std::uint32_t>(random_()));
  if (children_->is_stopping()) return stop();
  base::log(base::log_event::actor_restarts, "supervisor: {} ended ({}); restart in {} ms",
            children_->spec(*child).name, children_->last_error(*child), delay.count());
  if (delay.count() == 0)
    start(*child);
  else
    delayed_send(this, delay, restart_child{*child});
  report_storms();
  announce();
}

// -- storms -------------------------------------------------------------------

void supervisor::report_storms() {
  const bool now = children_->storms();
  if (std::exchange(storming_, now) == now) return;
  if (now)
    base::log(base::log_event::actors_failing, "supervisor: an actor dies repeatedly without "
                                               "having handled anything; the service is not ready");
  else
    base::log(base::log_event::actors_well, "supervisor: all actors work again");
  if (settings_.on_storm) settings_.on_storm(now);
  if (now) check_storms_now();
}

void supervisor::check_storms_now() {
  if (!storming_ || children_->is_stopping()) return;
  children_->end_storms(settings_.clock->now());
  report_storms();
  if (storming_) delayed_send(this, storm_check_interval, actors::check_storms{});
}

// -- telling ------------------------------------------------------------------

void supervisor::announce() {
  const auto self = caf::actor_cast<caf::actor>(this);
  for (std::size_t i = 0; i < children_->size(); ++i) {
    const auto& child = children_->actor(i);
    if (!child) continue;
    const auto& spec = children_->spec(i);
    if (spec.what == child_spec::kind::front) publish(child, children_->owners_of(spec.loop));
    if (spec.tells() == 0) continue;
    auto all = children_->subscribers_to(spec.tells());
    all.members.push_back(self);
    if ((spec.tells() & base::news::tokens) != 0) all.token_holders.push_back(self);
    publish(child, std::move(all));
  }
}

void supervisor::stop() {
  children_->stop();
  if (children_->is_empty()) return quit();
  for (std::size_t i = 0; i < children_->size(); ++i)
    if (const auto& child = children_->actor(i)) send_exit(child, caf::exit_reason::user_shutdown);
}

} // namespace matchcloud::actors
