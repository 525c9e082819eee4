#include "actors/tls_watch.hpp"

#include <utility>

namespace matchcloud::actors {

tls_watch::tls_watch(caf::actor_config& cfg, tls_watch_settings settings)
    : supervised_actor{cfg, {}}, settings_{std::move(settings)} {}

caf::behavior tls_watch::make_behavior() {
  be_strict();
  delayed_send(this, settings_.poll_interval, look_at_tls{});
  return {
      [this](look_at_tls) { look(); },
      [this](tls_looked) {
        own_statistics().count_handled();
        delayed_send(this, settings_.poll_interval, look_at_tls{});
      },
  };
}

void tls_watch::look() {
  auto task = [self = caf::actor_cast<caf::actor>(this), look = settings_.look] {
    look();
    caf::anon_send(self, tls_looked{});
  };
  if (!settings_.pool->submit(std::move(task)))
    delayed_send(this, settings_.poll_interval, look_at_tls{});
}

} // namespace matchcloud::actors
