#include "actors/supervisor.hpp"

#include "actors/resident.hpp"

#include <caf/exit_reason.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

std::chrono::milliseconds restart_policy::next_delay(base::steady_time now) {
  while (!recent_.empty() && now - recent_.front() > window)
    recent_.pop_front();
  recent_.push_back(now);
  // What is older than the last `intensity` restarts cannot change the verdict.
  if (recent_.size() > intensity + 1) recent_.pop_front();
  return recent_.size() > intensity ? backoff : std::chrono::milliseconds{0};
}

supervisor::supervisor(caf::actor_config& cfg, std::vector<place> places, standing in_force,
                       const base::clock& clock, base::counter& restarts)
    : caf::event_based_actor{cfg},
      in_force_{std::move(in_force)},
      clock_{&clock},
      restarts_{&restarts} {
  seats_.reserve(places.size());
  for (auto& where : places)
    seats_.push_back(filled_place{std::move(where), {}, {}});
}

caf::behavior supervisor::make_behavior() {
  set_strict_handlers(*this, name());
  set_down_handler([this](caf::down_msg& down) { on_down(down); });
  for (std::size_t i = 0; i < seats_.size(); ++i)
    fill(i);
  announce();
  return {
      [this](const catalog_changed& news) { in_force_.catalog = news.snapshot; },
      [this](const geoip_changed& news) { in_force_.geoip = news.geoip; },
      [this](const restart_place& due) {
        if (stopping_) return;
        fill(due.place);
        announce();
      },
      [this](stop_all) { stop(); },
  };
}

void supervisor::fill(std::size_t index) {
  auto& seat = seats_[index];
  seat.occupant = seat.where.make(in_force_);
  monitor(seat.occupant);
}

void supervisor::on_down(const caf::down_msg& down) {
  const auto found = std::find_if(seats_.begin(), seats_.end(), [&](const filled_place& candidate) {
    return candidate.occupant && candidate.occupant.address() == down.source;
  });
  if (found == seats_.end()) return;
  found->occupant = nullptr;
  if (stopping_) return stop();
  restarts_->add();
  const auto index = static_cast<std::size_t>(found - seats_.begin());
  const auto delay = found->policy.next_delay(clock_->now());
  spdlog::warn("supervisor: {} ended ({}); restart in {} ms", found->where.name,
               to_string(down.reason), delay.count());
  if (delay.count() == 0)
    fill(index);
  else
    delayed_send(this, delay, restart_place{index});
  announce();
}

void supervisor::announce() {
  audience listeners{{caf::actor_cast<caf::actor>(this)}, {}};
  audience of_geoip = listeners;
  for (const auto& seat : seats_) {
    if (!seat.occupant || seat.where.what != place::kind::owner) continue;
    listeners.members.push_back(seat.occupant);
    if (seat.where.role >= owner::avatar) listeners.avatar_shards.push_back(seat.occupant);
    if (seat.where.role == owner::region_ranking) of_geoip.members.push_back(seat.occupant);
  }
  for (const auto& seat : seats_) {
    if (!seat.occupant) continue;
    if (seat.where.what == place::kind::catalog) send(seat.occupant, listeners);
    if (seat.where.what == place::kind::geoip_watch) send(seat.occupant, of_geoip);
    if (seat.where.what == place::kind::front) send(seat.occupant, owners_for(seat.where.loop));
  }
}

owners supervisor::owners_for(std::size_t loop) const {
  owners known{std::vector<caf::actor>(owner_count)};
  for (const auto& seat : seats_) {
    if (seat.where.what != place::kind::owner) continue;
    if (seat.where.loop != place::every_loop && loop != place::every_loop &&
        seat.where.loop != loop)
      continue;
    known.by_role[static_cast<std::size_t>(seat.where.role)] = seat.occupant;
  }
  return known;
}

void supervisor::stop() {
  stopping_ = true;
  const bool all_gone =
      std::none_of(seats_.begin(), seats_.end(),
                   [](const filled_place& candidate) { return bool{candidate.occupant}; });
  if (all_gone) return quit();
  for (const auto& seat : seats_)
    if (seat.occupant) send_exit(seat.occupant, caf::exit_reason::user_shutdown);
}

} // namespace matchcloud::actors
