#include "actors/request/ticket.hpp"
#include "app/node/exposure.hpp"
#include "app/node/node.hpp"
#include "base/randomness.hpp"

#include <sys/eventfd.h>

#include <utility>

// The event loops of a node, with their transports and listeners.
namespace matchcloud::app {

void node::loop_part::run() {
  thread = std::thread{[loop = loop.get()] {
    actors::notes_only_sampled = true;
    loop->run();
  }};
}

void node::loop_part::listen(base::file_descriptor socket, http::listener_kind kind) const {
  // The posted task must be copyable, and the socket is not.
  auto shared = std::make_shared<base::file_descriptor>(std::move(socket));
  loop->post([transport = transport.get(), shared, kind] {
    transport->acceptor().listen(std::move(*shared), kind);
  });
}

void node::loop_part::tell(void (http::loop_transport::*what)()) const {
  loop->post([transport = transport.get(), what] { (transport->*what)(); });
}

void node::loop_part::stop() {
  if (!thread.joinable()) return;
  loop->stop();
  thread.join();
}

node::loop_part node::make_loop(http::shared_bounds& bounds, http::transport_metrics& metrics) {
  const auto& with = services_.get();
  const bool is_ops = bounds.serves == http::plane::ops;
  metrics.kept = traces_.get();
  loop_part part;
  part.gate = std::make_shared<http::access_gate>(is_ops ? ops_front_ : front_, rate_limits_,
                                                  &metrics, *with.clock);
  part.loop = std::make_unique<http::event_loop>(
      actors_, base::machine_clock(), is_ops ? std::chrono::microseconds{} : config_.busy_poll);
  part.transport = std::make_unique<http::loop_transport>(
      *part.loop, base::machine_clock(), *with.short_work, bounds, part.gate, metrics,
      base::random_seed(), [this] { ::eventfd_write(emptied_.get(), 1); });
  part.transport->log_access(access_log_, config_.access_log);
  if (!tls_) return part;
  const auto purpose = is_ops ? http::tls_purpose::ops : http::tls_purpose::data;
  part.transport->acceptor().set_tls(tls_->make(purpose));
  tls_->follow(purpose, [loop = part.loop.get(), transport = part.transport.get()](
                            const std::shared_ptr<http::tls_context>& context) {
    loop->post([transport, context] { transport->acceptor().set_tls(context); });
  });
  return part;
}

void node::know_store(http::access_gate& gate) const {
  gate.set_tokens(services_.first().tokens);
  gate.set_catalog(services_.first().catalog);
}

void node::listen_on_ops() {
  ops_loop_.listen(std::move(listening_.ops_socket()), {false, config_.ops_tls});
}

void node::start_serving() {
  auto& listeners = listening_.sockets();
  for (std::size_t number = 0; number < listeners.size(); ++number) {
    auto& sockets = listeners[number].sockets;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if (httplib_) {
        httplib_->serve(std::move(sockets[i]));
        continue;
      }
      http::accept_with_first_bytes(sockets[i].get(), true);
      loops_[i % loops_.size()].listen(std::move(sockets[i]), listening_.data()[number].kind);
    }
  }
}

void node::tell_each(void (http::loop_transport::*what)()) {
  for (const auto& part : loops_)
    part.tell(what);
}

std::shared_ptr<node_layout> node::layout() {
  const auto url =
      config_.public_url.empty() ? url_of(listening_.data().front()) : config_.public_url;
  auto made = services_.layout(url + config_.front.base_path, loops_.size());
  made->system = &actors_;
  for (std::size_t i = 0; i < loops_.size(); ++i)
    made->loops.push_back({loops_[i].loop.get(), &loops_[i].transport->exchanges(), loops_[i].gate,
                           &counts_[i].ranking,
                           config_.ranking.counts_places ? &counts_[i].places : nullptr});
  if (httplib_) made->loops.front().transport = httplib_.get();
  made->ops = {ops_loop_.loop.get(), &ops_loop_.transport->exchanges(), ops_loop_.gate};
  if (tls_)
    made->repeated.push_back(
        {"tls_watch", {[this] { tls_->reload(); }, services_.get().store_work}});
  return made;
}

} // namespace matchcloud::app
