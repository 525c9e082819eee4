#include "app/node/supervision.hpp"

#include "actors/supervision/messages.hpp"
#include "base/events/log.hpp"
#include "base/faults.hpp"
#include "base/randomness.hpp"

#include <caf/all.hpp>
#include <utility>

namespace matchcloud::app {

void supervision::start(std::shared_ptr<actors::child_table> children) {
  children_ = std::move(children);
  spawn();
}

actors::supervisor_settings supervision::settings() {
  actors::supervisor_settings settings;
  settings.children = children_;
  settings.clock = &base::machine_clock();
  settings.on_storm = on_storm_;
  settings.seed = static_cast<std::uint32_t>(base::random_seed());
  return settings;
}

void supervision::spawn() {
  caf::actor made;
  {
    const std::lock_guard lock{mutex_};
    if (ending_) return;
    made = supervisor_ = system_->spawn<actors::supervisor>(settings());
  }
  made->attach_functor([this](const caf::error& reason) {
    if (ending_) return;
    base::log(base::log_event::supervisor_ended, "supervisor ended ({}); a new one takes over",
              to_string(reason));
    spawn();
  });
}

void supervision::stop_replacing() {
  const std::lock_guard lock{mutex_};
  ending_ = true;
}

void supervision::end() {
  // From now on no actor may be stalled or killed by a fault.
  base::faults::clear_all();
  stop_replacing();
  auto last = std::exchange(supervisor_, nullptr);
  if (!last) return;
  caf::scoped_actor self{*system_};
  const auto end = [&] {
    self->send(last, actors::stop_all{});
    self->wait_for(last);
  };
  end();
  while (!children_->is_empty()) { // the supervisor had died before and left the children behind
    last = system_->spawn<actors::supervisor>(settings());
    end();
  }
}

} // namespace matchcloud::app
