#include "app/node/supervision.hpp"

#include "actors/supervision/messages.hpp"
#include "base/events/log.hpp"
#include "base/randomness.hpp"

#include <caf/all.hpp>
#include <utility>

namespace matchcloud::app {

supervision::supervision(caf::actor_system& system, std::function<void(bool)> on_storm)
    : system_{&system} {
  settings_.clock = &base::machine_clock();
  settings_.on_storm = std::move(on_storm);
  settings_.seed = static_cast<std::uint32_t>(base::random_seed());
}

void supervision::start(std::shared_ptr<actors::child_table> children) {
  settings_.children = std::move(children);
  spawn();
}

void supervision::spawn() {
  caf::actor made;
  {
    const std::lock_guard lock{mutex_};
    if (ending_) return;
    made = supervisor_ = system_->spawn<actors::supervisor>(settings_);
  }
  made->attach_functor([this](const caf::error& reason) {
    if (ending_) return;
    base::log(base::log_event::supervisor_ended, "supervisor ended ({}); a new one takes over",
              to_string(reason));
    spawn();
  });
}

void supervision::end() {
  {
    const std::lock_guard lock{mutex_};
    ending_ = true;
  }
  if (!supervisor_) return;
  caf::scoped_actor self{*system_};
  while (true) {
    self->send(supervisor_, actors::stop_all{});
    self->wait_for(supervisor_);
    if (settings_.children->is_empty()) break;
    // The supervisor had died before and left the children behind.
    supervisor_ = system_->spawn<actors::supervisor>(settings_);
  }
  supervisor_ = nullptr;
}

} // namespace matchcloud::app
