#pragma once

#include "app/node/listening.hpp"
#include "app/node/node_services.hpp"
#include "app/node/supervision.hpp"
#include "app/node/tls_renewal.hpp"
#include "app/process/main_watch.hpp"
#include "http/access_log/access_log.hpp"
#include "http/ops/service_reports.hpp"
#include "http/transport/httplib_transport.hpp"
#include "http/transport/loop_transport.hpp"

#include <caf/actor_system_config.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace matchcloud::app {

/// A running service: listeners, event loops, actors. Created, drained and destroyed by
/// one thread.
class node {
public:
  /// Opens the store and GeoIP files, binds every listener and serves. An error says what could not
  /// be opened or bound, and everything is undone. Waits up to `serve_config::start_wait` for a
  /// store that is out of reach, and answers on the ops plane during that time; fails with
  /// `cancelled` if `watch` receives a signal to end. The number of `loops` must have been chosen
  /// (not 0).
  /// `process_metrics` are shown with the node's own and outlive it.
  static base::expected<std::unique_ptr<node>> start(const serve_config& config, main_watch& watch,
                                                     const base::metric_set& process_metrics);

  /// Stops everything: requests in flight get no answer. Call `drain` first.
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// Puts the reloadable keys of `config` in force; all other keys must be unchanged. Throws
  /// `base::failure` as `http::read_tls_files` fails, and with the transport httplib, which changes
  /// nothing.
  void take_up(const serve_config& config);

  /// The configuration in force.
  const serve_config& config() const noexcept { return config_; }

  /// The listeners, with their predecessor and successor processes.
  const listening& listeners() const noexcept { return listening_; }

  /// Stops accepting and lets requests in flight finish. Idle connections close in the last third
  /// of the drain timeout, or a moment after its start if there is neither a drain delay nor a
  /// successor; connections that are left at its end are cut. Returns when no connection is left,
  /// at the end of the timeout, or at once when `watch` has a signal to end. With a successor the
  /// listeners stay open, because it shares them.
  void drain(main_watch& watch);
  /// Reports not ready but keeps accepting, for `serve_config::drain_delay`. Returns early if
  /// `watch` receives a signal to end, or if another process takes over.
  void announce_end(main_watch& watch);

  /// What the service manager learns about this node, which must outlive it. For the thread that
  /// started it.
  service_health health();

  /// Readable once a restart storm should end the service.
  int failure_fd() const noexcept { return failed_.get(); }

private:
  /// An event loop with its thread, and the transport and the gate of its front.
  struct loop_part {
    std::unique_ptr<http::event_loop> loop;
    std::unique_ptr<http::loop_transport> transport;
    std::shared_ptr<http::access_gate> gate;
    std::thread thread;

    void run();
    void listen(base::file_descriptor socket, http::listener_kind kind) const;
    void tell(void (http::loop_transport::*what)()) const;
    /// Waits until the loop has turned for the last time.
    void stop();
  };
  /// What is counted on an event loop of the data plane.
  struct loop_counts {
    http::transport_metrics transport;
    actors::ranking_metrics ranking;
    actors::place_counts places;
  };

  explicit node(const serve_config& config);

  // The steps of a start, in order; each throws `base::failure`, and `cancelled` is for a signal.
  void start(main_watch& watch);
  /// Its front answers /healthz and /readyz, and refuses with 503 what needs the store. In a
  /// take-over nobody can connect to it yet.
  void start_ops_plane();
  /// Opens the store, and tries again while it is out of reach (store_patience.cpp).
  void open_patiently(main_watch& watch);
  void start_owners();
  /// Ends the front that the ops plane has before there are owners. What it has not answered waits
  /// for the next front.
  void end_first_front();
  void on_storm(bool storms);
  /// Waits until every transport that drains is empty, which is an event.
  main_watch::wake wait_drained(std::chrono::milliseconds at_most, main_watch& watch);

  // node_loops.cpp

  /// `bounds` name the plane.
  loop_part make_loop(http::shared_bounds& bounds, http::transport_metrics& metrics);
  /// Tells a gate the tokens and the catalog that exist at the start.
  void know_store(http::access_gate& gate) const;
  /// What the actors see of this, once loops and listeners exist.
  std::shared_ptr<node_layout> layout();
  /// Accept connections.
  void listen_on_ops();
  void start_serving();
  /// Tells each loop of the data plane.
  void tell_each(void (http::loop_transport::*what)());

  // node_reload.cpp

  static http::served_documents documents_of(const serve_config& config);
  http::front_settings settings_of(http::plane which) const;
  http::limits limits() const;

  // node_reports.cpp

  /// Adds all metrics, and makes the reports.
  void report();
  void show_metrics();
  std::vector<http::bound> bounds() const;
  std::vector<http::history_count> history_counts() const;
  std::string url_of_ops() const;
  /// The state and the number of connections, for people.
  std::string describe() const;

  serve_config config_;
  mutable std::mutex limits_mutex_;
  http::limits limits_;
  /// What `/readyz` answers.
  std::shared_ptr<std::atomic<http::service_state>> state_ =
      std::make_shared<std::atomic<http::service_state>>(http::service_state::starting);
  readiness ready_{[state = state_](http::service_state now) { *state = now; }};
  http::served_documents documents_;
  /// When the process began, in milliseconds since 1970.
  std::int64_t started_ms_ = base::machine_clock().unix_ms();
  std::shared_ptr<actors::trace_log> traces_;
  // Declared before the actors to outlive them: messages hold requests, and requests point to
  // these.
  http::shared_bounds bounds_;
  http::shared_bounds ops_bounds_;
  std::shared_ptr<base::rate_limit_table> rate_limits_;
  std::shared_ptr<http::access_log> access_log_ = std::make_shared<http::access_log>();
  std::deque<loop_counts> counts_;
  http::transport_metrics ops_metrics_{http::plane::ops};
  /// Likewise; the actors borrow it. Its threads end before the loops and the actors' system.
  node_services services_;
  caf::actor_system_config actor_config_;
  caf::actor_system actors_;
  /// Of each plane, by which its front routes and its transports judge heads.
  std::shared_ptr<const http::front_settings> front_;
  std::shared_ptr<const http::front_settings> ops_front_;
  /// Null if there are no TLS listeners.
  std::unique_ptr<tls_renewal> tls_;
  /// While draining: an eventfd that counts transports without connections.
  base::file_descriptor emptied_;
  std::size_t transports_left_ = 0;
  std::vector<loop_part> loops_;
  /// The loop of the ops plane, so that it answers however busy the others are.
  loop_part ops_loop_;
  /// See `end_first_front`.
  caf::actor first_front_;
  /// With the transport httplib: serves the listeners in place of the loops, and the first loop
  /// has its front.
  std::unique_ptr<http::httplib_transport> httplib_;
  listening listening_;
  std::shared_ptr<actors::child_table> children_;
  base::metric_set metrics_;
  std::unique_ptr<http::service_reports> reports_;
  /// An eventfd, readable once a restart storm should end the service.
  base::file_descriptor failed_;
  supervision supervision_;
};

} // namespace matchcloud::app
