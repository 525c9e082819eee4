#pragma once

#include "actors/avatar.hpp"
#include "actors/export_download.hpp"
#include "actors/geoip_watch.hpp"
#include "actors/lobby_export.hpp"
#include "actors/region_ranking.hpp"
#include "actors/supervisor.hpp"
#include "app/config/config.hpp"
#include "app/node/readiness.hpp"
#include "base/blocking_pool.hpp"
#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "base/metrics.hpp"
#include "http/loop/event_loop.hpp"
#include "http/ops/catalog_admin.hpp"
#include "http/ops/fault_admin.hpp"
#include "http/ops/lobby_ingestion.hpp"
#include "http/ops/ops_plane.hpp"
#include "http/ops/service_metrics.hpp"
#include "http/takeover/handover.hpp"
#include "http/takeover/predecessor.hpp"
#include "http/transport/httplib_transport.hpp"
#include "http/transport/loop_transport.hpp"
#include "store/exports/export_files.hpp"
#include "store/exports/signing_key_ring.hpp"
#include "store/files/media_files.hpp"
#include "store/geoip/geoip_files.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace matchcloud::app {

/// Bounds the connections by the descriptors that the process may have, all together.
base::limits bounded_by_descriptors(base::limits limits, std::size_t all);

/// A running service: listeners, event loops, actors, ops plane. Made, drained and destroyed by one
/// thread.
class node {
public:
  /// Opens store and GeoIP files, binds every listener and serves. Errors say what could not be
  /// had; then nothing is left behind.
  static base::expected<std::unique_ptr<node>> start(const serve_config& config);

  /// Ends everything: what is in flight gets no answer. Call `drain` first.
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// The data listeners in the order given, with their real ports.
  const std::vector<data_listener>& data_listeners() const noexcept { return data_listeners_; }
  const http::endpoint& ops_endpoint() const noexcept { return ops_endpoint_; }

  /// Whose listeners these were; nothing where this process bound them itself.
  std::optional<pid_t> predecessor() const noexcept { return predecessor_pid_; }
  /// Readable once another process has the listeners: `drain` then.
  int handed_over_fd() const noexcept { return handed_over_.get(); }
  /// Which process that is.
  std::optional<pid_t> successor() const noexcept {
    return handover_ ? handover_->successor() : std::nullopt;
  }

  /// Stops accepting and lets requests under way end; idle connections close in the last third of
  /// the drain timeout, what is left at its end is cut. Returns when no connection is left, or at
  /// once when `interrupt_fd` becomes readable. With a successor the listeners stay open: they are
  /// its own.
  void drain(int interrupt_fd);

  /// What decides which passes of fault points are hit; nothing where none can be.
  std::optional<std::uint64_t> fault_seed() const noexcept { return config_.fault_seed; }
  /// Readable once a restart storm is to end the service.
  int failure_fd() const noexcept { return failed_.get(); }

private:
  struct loop_place {
    std::unique_ptr<http::event_loop> loop;
    std::unique_ptr<http::loop_transport> transport;
    std::thread thread;
  };

  explicit node(const serve_config& config);

  base::expected<void> open();
  base::expected<void> open_geoip();
  base::expected<void> bind_listeners();
  /// The endpoint with its real port.
  base::expected<http::endpoint> bind_data(const data_listener& wanted);
  void warn_of_listeners() const;
  base::expected<void> bind_ops();
  /// Likewise with sockets of the predecessor.
  base::expected<http::listeners> adopt_data(const data_listener& wanted);
  base::expected<http::endpoint> adopt_or_bind_ops();
  /// Waits until no other process accepts any more.
  base::expected<void> succeed();
  /// With what to do about a listener that is taken.
  base::error advised(base::error why) const;
  void offer_take_over();
  /// Whether another process has the listeners.
  bool end_offer();
  /// What each transport counts.
  std::vector<const http::transport_metrics*> transports() const;
  void make_loops(std::size_t count);
  void start_actors();
  actors::supervisor_settings supervisor_settings();
  /// Spawns a supervisor, and the next should it die.
  void start_supervisor();
  void end_supervisor();
  void on_storm(bool storms);
  void start_serving();
  std::vector<actors::place> places();
  void add_watching_places(std::vector<actors::place>& all);
  void add_export_places(std::vector<actors::place>& all);
  /// What decides listings, by the GeoIP files in force.
  actors::ranking_settings ranking_by(const actors::standing& now, std::size_t place);
  actors::avatar_settings avatar_settings();
  actors::lobby_export_settings lobby_export_settings();
  actors::export_download_settings export_download_settings();
  /// Where clients reach the service, base path included.
  std::string public_url() const;
  void on_transport_empty();
  void on_each_loop(void (http::loop_transport::*what)());
  /// True when interrupted or every transport is empty.
  bool wait_drained(std::chrono::milliseconds at_most, int interrupt_fd);

  serve_config config_;
  // Messages hold requests, and requests point here: before the actors, to outlive them.
  http::shared_bounds bounds_;
  std::deque<http::transport_metrics> transport_metrics_;
  /// One for each place of a region_ranking.
  std::deque<actors::ranking_metrics> ranking_metrics_;
  actors::avatar_metrics avatar_metrics_;
  actors::export_metrics export_metrics_;
  actors::geoip_metrics geoip_metrics_;
  // The threads of exports use these until they are joined.
  std::unique_ptr<store::export_files> export_files_;
  std::unique_ptr<store::signing_key_ring> signing_keys_;
  std::shared_ptr<actors::export_book> export_book_ = std::make_shared<actors::export_book>();
  caf::actor_system_config actor_config_;
  caf::actor_system actors_;
  model::catalog_snapshot first_catalog_;
  /// Null: there are none.
  std::shared_ptr<store::geoip_files> geoip_files_;
  std::unique_ptr<base::thread_pool> blocking_;
  std::unique_ptr<base::thread_pool> exporting_;
  std::shared_ptr<store::media_files> media_;
  /// An eventfd that counts transports without connections, while draining.
  base::file_descriptor emptied_;
  std::size_t transports_left_ = 0;
  /// In the order of `data_listeners_`; none with the transport httplib.
  std::vector<http::listeners> listeners_;
  std::vector<loop_place> loops_;
  std::unique_ptr<http::httplib_transport> httplib_;
  std::unique_ptr<http::service_metrics> metrics_;
  http::ingestion_metrics ingestion_metrics_;
  std::unique_ptr<http::lobby_ingestion> ingestion_;
  std::unique_ptr<http::catalog_admin> catalog_admin_;
  /// Null: nobody may inject faults.
  std::unique_ptr<http::fault_admin> fault_admin_;
  std::unique_ptr<http::ops_plane> ops_;
  std::vector<data_listener> data_listeners_;
  http::endpoint ops_endpoint_;
  /// While starting: who serves meanwhile.
  std::optional<http::predecessor> predecessor_;
  std::optional<pid_t> predecessor_pid_;
  /// While starting: what a successor will be offered.
  std::vector<http::handed_listener> offered_;
  /// An eventfd.
  base::file_descriptor handed_over_;
  std::unique_ptr<http::handover> handover_;
  std::shared_ptr<actors::roster> roster_;
  std::mutex supervisor_mutex_;
  caf::actor supervisor_;
  /// From now on no further supervisor.
  std::atomic<bool> ending_{false};
  /// Tells the ops plane.
  readiness ready_{[this](bool ready) { ops_->set_ready(ready); }};
  /// An eventfd: a restart storm is to end the service.
  base::file_descriptor failed_;
};

} // namespace matchcloud::app
