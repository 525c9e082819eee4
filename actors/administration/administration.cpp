#include "actors/administration/administration.hpp"

#include "actors/request/messages.hpp"
#include "base/failure.hpp"

#include <string>
#include <utility>

namespace matchcloud::actors {

administration::administration(caf::actor_config& cfg, administration_settings settings)
    : supervised_actor{cfg,
                       {base::fault_point::administration_receive,
                        base::fault_point::administration_reply}},
      settings_{std::move(settings)} {}

caf::behavior administration::make_behavior() {
  be_strict();
  return {
      serving<administer>([this](const administer& request) { handle(request); }),
      [this](const administered& ended) { on(ended); },
  };
}

void administration::handle(const administer& request) {
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  const auto taken = settings_.pool->submit(base::for_this_request(
      [self = caf::actor_cast<caf::actor>(this), front, with = settings_, request] {
        if (is_over(request.ticket)) return; // its client got 504, or is gone
        administered ended{request.exchange, front, 200, {}, {}, request.ticket};
        const auto performed = base::attempt([&] {
          const traced_step step{request.ticket.get(), "store"};
          const administration_call in{with, request.by, with.clock->unix_ms()};
          return perform(in, request.what);
        });
        if (performed) {
          ended.status = performed->status;
          ended.json = std::make_shared<const std::string>(performed->json);
        } else {
          ended.failure = std::make_shared<const base::error>(performed.error());
        }
        caf::anon_send(self, std::move(ended));
      }));
  if (!taken)
    reply(front,
          operation_failed{
              request.exchange,
              {base::errc::overloaded, "Too many changes are waiting for the store. Retry later."}},
          request.ticket);
}

void administration::on(const administered& ended) {
  if (ended.failure)
    reply(ended.front, operation_failed{ended.exchange, *ended.failure}, ended.ticket);
  else
    reply(ended.front, json_made{ended.exchange, ended.json, false, ended.status}, ended.ticket);
}

} // namespace matchcloud::actors
