#include "app/node/waiting_plane.hpp"

#include "actors/request/messages.hpp"
#include "actors/request/resident.hpp"
#include "base/clock.hpp"
#include "base/owner.hpp"
#include "base/randomness.hpp"
#include "http/front/front.hpp"
#include "http/front/front_rules.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace matchcloud::app {

waiting_plane::waiting_plane(const waiting_parts& parts, base::file_descriptor socket)
    : system_{parts.system},
      loop_{std::make_unique<http::event_loop>(*system_, base::machine_clock(),
                                               std::chrono::microseconds{0})} {
  const auto gate = std::make_shared<http::access_gate>(parts.front, nullptr, parts.metrics);
  gate->wait_for_store();
  transport_ = std::make_unique<http::loop_transport>(
      *loop_, base::machine_clock(), *parts.pool, *parts.bounds,
      std::make_shared<const http::front_rules>(gate), *parts.metrics, base::random_seed(), [] {});
  if (parts.tls) transport_->acceptor().set_tls(parts.tls);
  // Before the actor starts: if the system refused the thread, nothing would end the actor.
  thread_ = std::thread{[this] { loop_->run(); }};
  try {
    open(parts, gate, std::move(socket));
  } catch (...) { // a thread that is left running aborts the process
    end();
    throw;
  }
}

void waiting_plane::open(const waiting_parts& parts, const std::shared_ptr<http::access_gate>& gate,
                         base::file_descriptor socket) {
  front_ = actors::spawn_resident<http::front>(
      *system_, *loop_, std::ref<http::exchange_sink>(transport_->exchanges()), gate);
  // It accepts requests once it knows the owners, and there are none.
  caf::anon_send(front_, actors::owners{std::vector<caf::actor>(base::owner_count)});
  // The posted task must be copyable, and the socket is not.
  auto shared = std::make_shared<base::file_descriptor>(std::move(socket));
  loop_->post([transport = transport_.get(), shared, has_tls = parts.tls != nullptr] {
    transport->acceptor().listen(std::move(*shared), {false, has_tls});
  });
}

waiting_plane::~waiting_plane() {
  loop_->post([this] {
    transport_->hand_over(); // without accepting waiting connections
    transport_->end_now();
  });
  end();
}

void waiting_plane::end() {
  if (front_) {
    caf::scoped_actor self{*system_};
    self->send_exit(front_, caf::exit_reason::user_shutdown);
    self->wait_for(front_);
  }
  front_ = nullptr;
  loop_->stop();
  thread_.join();
  transport_.reset(); // before its loop
}

} // namespace matchcloud::app
