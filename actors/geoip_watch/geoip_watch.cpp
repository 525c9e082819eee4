#include "actors/geoip_watch/geoip_watch.hpp"

#include "actors/news/messages.hpp"
#include "base/events/log.hpp"

#include <utility>

namespace matchcloud::actors {

namespace {

/// Logs and counts the results of a check. Runs in the pool's task, because the actor may have
/// ended by then.
void report(const store::geoip_files::findings& found, const geoip_watch_settings& settings) {
  for (const auto& file : found.taken) {
    base::log(base::log_event::geoip_replaced,
              "geoip: {} was replaced; the new file ({} bytes) is in use", file.path,
              file.size_bytes);
    settings.metrics->taken.add();
    settings.metrics->last_taken_s.set(settings.clock->unix_ms() / 1'000);
  }
  for (const auto& reason : found.refused) {
    base::log(base::log_event::geoip_kept, "geoip: {}; the previous file stays in use",
              base::to_string(reason));
    settings.metrics->refused.add();
  }
}

} // namespace

geoip_watch::geoip_watch(caf::actor_config& cfg, geoip_watch_settings settings,
                         std::shared_ptr<const store::geoip> in_force)
    : supervised_actor{cfg,
                       {base::fault_point::geoip_watch_receive,
                        base::fault_point::geoip_watch_reply}},
      settings_{std::move(settings)},
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
  auto task = [self = caf::actor_cast<caf::actor>(this), settings = settings_] {
    auto found = settings.files->reload();
    report(found, settings);
    caf::anon_send(self, geoip_looked{std::move(found.in_force)});
  };
  if (!settings_.pool->submit(std::move(task))) poll_later();
}

void geoip_watch::poll_later() {
  delayed_send(this, settings_.poll_interval, look_at_geoip{});
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
