#pragma once

#include "base/blocking_pool.hpp"
#include "base/files/file_descriptor.hpp"
#include "http/front/access_gate.hpp"
#include "http/front/front_settings.hpp"
#include "http/front/service_state.hpp"
#include "http/loop/event_loop.hpp"
#include "http/tls/tls_context.hpp"
#include "http/transport/loop_transport.hpp"
#include "http/transport/shared_bounds.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <memory>
#include <thread>

namespace matchcloud::app {

/// What a waiting plane depends on; all of it outlives the plane.
struct waiting_parts {
  caf::actor_system* system = nullptr;
  std::shared_ptr<const http::front_settings> front;
  base::blocking_pool* pool = nullptr;
  http::shared_bounds* bounds = nullptr;
  http::transport_metrics* metrics = nullptr;
  /// Null: the listener speaks no TLS.
  std::shared_ptr<http::tls_context> tls;
};

/// The ops plane of a service that is still waiting for its store: it answers /healthz and /readyz,
/// and refuses what needs the store with 503. Created and destroyed by the thread that starts the
/// node.
class waiting_plane {
public:
  /// `socket` listens; others may have it too.
  waiting_plane(const waiting_parts& parts, base::file_descriptor socket);
  /// Cuts the connections. Connections that were not accepted are left to other processes that have
  /// the socket.
  ~waiting_plane();
  waiting_plane(const waiting_plane&) = delete;
  waiting_plane& operator=(const waiting_plane&) = delete;

private:
  /// Once the loop runs.
  void open(const waiting_parts& parts, const std::shared_ptr<http::access_gate>& gate,
            base::file_descriptor socket);
  /// Ends the actor and the loop.
  void end();

  caf::actor_system* system_;
  std::unique_ptr<http::event_loop> loop_;
  std::unique_ptr<http::loop_transport> transport_;
  caf::actor front_;
  std::thread thread_;
};

} // namespace matchcloud::app
