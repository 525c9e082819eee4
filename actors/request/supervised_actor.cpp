#include "actors/request/supervised_actor.hpp"

#include "base/events/log.hpp"

#include <caf/exit_reason.hpp>
#include <caf/message_view.hpp>

#include <exception>
#include <string>
#include <utility>

namespace matchcloud::actors {

namespace {

std::string reason_of(const std::exception_ptr& caught) {
  try {
    std::rethrow_exception(caught);
  } catch (const std::exception& failure) {
    return failure.what();
  } catch (...) {
    return "an unknown exception";
  }
}

} // namespace

void set_strict_handlers(caf::scheduled_actor& self) {
  self.set_default_handler(caf::drop);
  self.set_error_handler([](caf::error&) {});
  self.set_down_handler([](caf::down_msg&) {});
}

void supervised_actor::be_strict() {
  set_strict_handlers(*this);
  set_default_handler([this](caf::scheduled_actor*, caf::message_view& got) {
    if (got.content().match_elements<held_message>())
      gate_.resume_held(got.content().get_as<held_message>(0));
    return caf::result<caf::message>{caf::message{}};
  });
  set_exception_handler([this](std::exception_ptr& caught) -> caf::error {
    auto reason = reason_of(caught);
    base::log(base::log_event::actor_died, "actor {} died: {}", name(), reason);
    statistics_->set_last_error(std::move(reason));
    return caf::sec::runtime_error;
  });
}

bool supervised_actor::cleanup(caf::error&& reason, caf::execution_unit* host) {
  gate_.drop_late_news();
  return caf::event_based_actor::cleanup(std::move(reason), host);
}

} // namespace matchcloud::actors
