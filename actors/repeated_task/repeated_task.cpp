#include "actors/repeated_task/repeated_task.hpp"

#include "actors/repeated_task/messages.hpp"

#include <utility>

namespace matchcloud::actors {

repeated_task::repeated_task(caf::actor_config& cfg, repeated_task_settings settings)
    : supervised_actor{cfg, {}}, settings_{std::move(settings)} {}

caf::behavior repeated_task::make_behavior() {
  be_strict();
  delayed_send(this, settings_.interval, repeat_task{});
  return {
      [this](repeat_task) { run(); },
      [this](task_ended) {
        own_statistics().count_handled();
        delayed_send(this, settings_.interval, repeat_task{});
      },
  };
}

void repeated_task::run() {
  auto task = [self = caf::actor_cast<caf::actor>(this), task = settings_.run] {
    task();
    caf::anon_send(self, task_ended{});
  };
  if (!settings_.pool->submit(std::move(task)))
    delayed_send(this, settings_.interval, repeat_task{});
}

} // namespace matchcloud::actors
