#include "actors/supervisor.hpp"

#include "actors/resident.hpp"

#include <caf/exit_reason.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>

namespace matchcloud::actors {

supervisor::supervisor(caf::actor_config& cfg, supervisor_settings settings)
    : supervised_actor{cfg,
                       {base::fault_point::supervisor_receive,
                        base::fault_point::supervisor_reply}},
      settings_{std::move(settings)},
      roster_{settings_.places},
      random_{settings_.seed} {}

caf::behavior supervisor::make_behavior() {
  be_strict();
  set_down_handler([this](caf::down_msg& down) { on_down(down); });
  adopt();
  announce();
  return {
      [this](const catalog_changed& news) { roster_->in_force_.catalog = news.snapshot; },
      [this](const geoip_changed& news) { roster_->in_force_.geoip = news.geoip; },
      [this](const restart_place& due) {
        if (stopping_ || roster_->seats_[due.place].occupant) return;
        fill(due.place);
        announce();
      },
      [this](actors::look_for_calm) { check_calm(); },
      [this](stop_all) { stop(); },
  };
}

void supervisor::on_exit() {
  for (const auto& each : roster_->seats_)
    if (each.occupant) demonitor(each.occupant.address());
}

void supervisor::adopt() {
  change([this] { ++roster_->supervisors_; });
  storming_ = roster_->storms();
  if (storming_) check_calm();
  for (std::size_t i = 0; i < roster_->seats_.size(); ++i) {
    // Of one that is dead by now, word comes at once.
    if (const auto& here = roster_->seats_[i].occupant)
      monitor(here);
    else
      fill(i);
  }
}

void supervisor::fill(std::size_t index) {
  auto& here = roster_->seats_[index];
  auto made = here.where.make(roster_->in_force_);
  // Those of tests may be of any kind.
  const auto* known =
      dynamic_cast<const supervised_actor*>(caf::actor_cast<caf::abstract_actor*>(made));
  change([&] {
    here.of_occupant = known != nullptr ? known->read_vitals() : nullptr;
    here.occupant = std::move(made);
    here.state = place_state::running;
    here.since = settings_.clock->now();
  });
  monitor(here.occupant);
}

void supervisor::on_down(const caf::down_msg& down) {
  auto& seats = roster_->seats_;
  const auto found = std::find_if(seats.begin(), seats.end(), [&](const seat& candidate) {
    return candidate.occupant && candidate.occupant.address() == down.source;
  });
  if (found == seats.end()) return;
  if (!stopping_) wake();
  const auto delay = bury(*found, down);
  if (stopping_) return stop();
  const auto index = static_cast<std::size_t>(found - seats.begin());
  if (delay.count() == 0)
    fill(index);
  else
    delayed_send(this, delay, restart_place{index});
  tell_of_storms();
  announce();
}

std::chrono::milliseconds supervisor::bury(seat& of, const caf::down_msg& down) {
  const auto handled = of.of_occupant ? of.of_occupant->handled() : 0;
  const auto said = of.of_occupant ? of.of_occupant->last_error() : std::string{};
  const auto verdict =
      of.policy.next(settings_.clock->now(), handled > 0, static_cast<std::uint32_t>(random_()));
  change([&] {
    of.occupant = nullptr;
    of.of_occupant = nullptr;
    of.handled_before += handled;
    of.last_error = said.empty() ? to_string(down.reason) : said;
    of.state = place_state::waiting;
    of.storms = of.storms || verdict.storm;
    if (!stopping_) ++of.restarts;
  });
  if (!stopping_)
    spdlog::warn("supervisor: {} ended ({}); restart in {} ms", of.where.name, of.last_error,
                 verdict.delay.count());
  return verdict.delay;
}

// -- storms -------------------------------------------------------------------

void supervisor::tell_of_storms() {
  const bool now = roster_->storms();
  if (std::exchange(storming_, now) == now) return;
  if (now)
    spdlog::error("supervisor: an actor dies again and again without having handled anything; the "
                  "service is not ready");
  else
    spdlog::info("supervisor: all actors are well again");
  if (settings_.on_storm) settings_.on_storm(now);
  if (now) check_calm();
}

void supervisor::check_calm() {
  if (!storming_ || stopping_) return;
  const auto now = settings_.clock->now();
  change([&] {
    for (auto& each : roster_->seats_) {
      const bool useful = each.of_occupant && each.of_occupant->handled() > 0;
      const bool lasts = each.occupant && now - each.since > calm_time;
      if (useful || lasts) each.storms = false;
    }
  });
  tell_of_storms();
  if (storming_) delayed_send(this, storm_look_interval, actors::look_for_calm{});
}

// -- telling ------------------------------------------------------------------

void supervisor::announce() {
  audience listeners{{caf::actor_cast<caf::actor>(this)}, {}};
  audience of_geoip = listeners;
  for (const auto& each : roster_->seats_) {
    if (!each.occupant || each.where.what != place::kind::owner) continue;
    listeners.members.push_back(each.occupant);
    if (each.where.role.kind == owner_kind::avatar)
      listeners.avatar_shards.push_back(each.occupant);
    if (each.where.role == owner::region_ranking) of_geoip.members.push_back(each.occupant);
  }
  for (const auto& each : roster_->seats_) {
    if (!each.occupant) continue;
    if (each.where.what == place::kind::catalog) tell(each.occupant, audience{listeners});
    if (each.where.what == place::kind::geoip_watch) tell(each.occupant, audience{of_geoip});
    if (each.where.what == place::kind::front) tell(each.occupant, owners_for(each.where.loop));
  }
}

owners supervisor::owners_for(std::size_t loop) const {
  owners known{std::vector<caf::actor>(owner_count)};
  for (const auto& each : roster_->seats_) {
    if (each.where.what != place::kind::owner) continue;
    if (each.where.loop != place::every_loop && loop != place::every_loop &&
        each.where.loop != loop)
      continue;
    known.by_role[index_of(each.where.role)] = each.occupant;
  }
  return known;
}

void supervisor::stop() {
  stopping_ = true;
  const auto& seats = roster_->seats_;
  const bool all_gone = std::none_of(
      seats.begin(), seats.end(), [](const seat& candidate) { return bool{candidate.occupant}; });
  if (all_gone) return quit();
  for (const auto& each : seats)
    if (each.occupant) send_exit(each.occupant, caf::exit_reason::user_shutdown);
}

} // namespace matchcloud::actors
