#include "actors/geoip_watch/geoip_watch.hpp"

#include "actors/news/messages.hpp"
#include "base/events/log.hpp"

#include <utility>

namespace matchcloud::actors {

namespace {

/// Logs and counts the results of a check. Runs in the pool's task, because the actor may have
/// ended by then.
void report(const store::geoip_files::findings& found, const services& with) {
  for (const auto& file : found.taken) {
    base::log(base::log_event::geoip_replaced,
              "geoip: {} was replaced; the new file ({} bytes) is in use", file.path,
              file.size_bytes);
    with.geoip_metrics->taken.add();
    with.geoip_metrics->last_taken_s.set(with.clock->unix_ms() / 1'000);
  }
  for (const auto& reason : found.refused) {
    base::log(base::log_event::geoip_kept, "geoip: {}; the previous file stays in use",
              base::to_string(reason));
    with.geoip_metrics->refused.add();
  }
}

} // namespace

geoip_watch::geoip_watch(caf::actor_config& cfg, const services& with,
                         std::shared_ptr<const store::geoip> in_force,
                         std::chrono::milliseconds poll_interval)
    : supervised_actor{cfg,
                       {base::fault_point::geoip_watch_receive,
                        base::fault_point::geoip_watch_reply}},
      with_{&with},
      poll_interval_{poll_interval},
      in_force_{std::move(in_force)} {}

caf::behavior geoip_watch::make_behavior() {
  be_strict();
  poll();
  return {
      [this](const subscribers& listeners) {
        subscribers_ = listeners.members;
        publish_files();
      },
      [this](look_at_geoip) { poll(); },
      [this](const geoip_looked& found) {
        wake();
        on(found);
        poll_later();
      },
      [](const discarded&) {}, // freed with the message, on this thread
  };
}

void geoip_watch::poll() {
  auto task = [self = caf::actor_cast<caf::actor>(this), with = with_] {
    auto found = with->geoip_files->reload();
    report(found, *with);
    caf::anon_send(self, geoip_looked{std::move(found.in_force)});
  };
  if (!with_->short_work->submit(std::move(task))) poll_later();
}

void geoip_watch::poll_later() {
  delayed_send(this, poll_interval_, look_at_geoip{});
}

void geoip_watch::publish_files() {
  for (const auto& listener : subscribers_)
    publish(listener, geoip_changed{in_force_});
}

void geoip_watch::on(const geoip_looked& found) {
  // A check started by a predecessor may have found files that this actor is the first to announce.
  if (found.in_force == in_force_) return;
  in_force_ = found.in_force;
  publish_files();
}

} // namespace matchcloud::actors
