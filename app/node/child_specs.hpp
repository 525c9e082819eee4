#pragma once

#include "actors/administration/administration.hpp"
#include "actors/avatar/avatar.hpp"
#include "actors/bookkeeping/bookkeeping.hpp"
#include "actors/export_download/export_download.hpp"
#include "actors/fault_control/fault_control.hpp"
#include "actors/geoip_watch/geoip_watch.hpp"
#include "actors/ingestion/ingestion.hpp"
#include "actors/latency_map/latency_map.hpp"
#include "actors/lobby_export/lobby_export.hpp"
#include "actors/media/media.hpp"
#include "actors/region_ranking/region_ranking.hpp"
#include "actors/repeated_task/repeated_task.hpp"
#include "actors/reports/reports.hpp"
#include "actors/supervision/child_spec.hpp"
#include "app/config/config.hpp"
#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "base/clock.hpp"
#include "http/front/access_gate.hpp"
#include "http/front/front_settings.hpp"
#include "http/loop/event_loop.hpp"
#include "http/transport/exchange.hpp"
#include "store/database.hpp"
#include "store/exports/export_store.hpp"
#include "store/geoip/geoip_files.hpp"
#include "store/media/images.hpp"
#include "store/secrets/secret_store.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace matchcloud::app {

/// An event loop with its resident actors, and the transport that owns its front's exchanges.
struct served_loop {
  http::event_loop* loop = nullptr;
  http::exchange_sink* transport = nullptr;
  /// Decides which requests the front admits; shared with the transport.
  std::shared_ptr<http::access_gate> gate = {};
};

/// What the actors of the ops plane depend on. Everything it points to must outlive them.
struct ops_parts {
  served_loop loop;
  std::shared_ptr<const http::front_settings> front;
  std::shared_ptr<actors::ingest_store> ingest_store;
  /// Its threads parse lobbies and wait for the store.
  base::blocking_pool* ingesting = nullptr;
  actors::ingestion_metrics* ingestion_metrics = nullptr;
  actors::administration_settings administration;
  actors::report_sources reports;
  actors::survey_settings surveys;
  /// Images that are always served here: the console requests them like everything else.
  std::shared_ptr<store::image_source> images;
  actors::bookkeeping_settings bookkeeping;
  actors::fault_audit fault_audit;
  std::uint64_t fault_seed = 0;
  /// Null: faults cannot be injected.
  std::shared_ptr<actors::fault_switch> faults;
};

/// What the actors of a node depend on. Everything it points to must outlive them.
struct node_parts {
  caf::actor_system* system = nullptr;
  serve_config config;
  const base::clock* clock = &base::machine_clock();
  /// The pool for blocking work that a request waits for; `long_work` is the pool for exports.
  base::blocking_pool* short_work = nullptr;
  base::blocking_pool* long_work = nullptr;
  /// The pool for short work that waits for the store. It differs from `short_work` if the store is
  /// on a server, so that files do not wait for a server that does not answer.
  base::blocking_pool* store_work = nullptr;
  std::shared_ptr<store::database> database;
  /// When the store last answered; null: not recorded.
  std::shared_ptr<store::store_contact> contact;
  /// Closed once only newer programs may use the store; null: that never happens.
  std::shared_ptr<store::store_fence> fence;
  /// Called with each poll of the store; may be empty.
  std::function<void()> look_at_store;
  store::export_store* exports = nullptr;
  store::secret_ring* signing_keys = nullptr;
  std::shared_ptr<store::image_source> images;
  /// Null if there are none.
  std::shared_ptr<store::geoip_files> geoip_files;
  std::shared_ptr<actors::lobby_export_state> export_state =
      std::make_shared<actors::lobby_export_state>();
  /// Generates the ids of exports.
  std::function<model::uuid()> new_id;
  std::shared_ptr<const http::front_settings> front =
      std::make_shared<const http::front_settings>();
  /// Where clients reach the service, base path included.
  std::string public_url;
  /// How often the store and the GeoIP files are polled.
  std::chrono::milliseconds poll_interval{250};
  /// See `media_settings`.
  std::size_t images_kept_limit = 0;
  bool images_are_in_memory = false;

  /// Shared by all loops.
  std::shared_ptr<actors::avatar_lists> avatar_lists;
  /// Learned latencies, which outlive the actor; null: nothing is learned.
  std::shared_ptr<actors::latency_map_state> latencies;
  std::shared_ptr<actors::report_gate> latency_gate;
  actors::export_metrics* export_metrics = nullptr;
  actors::geoip_metrics* geoip_metrics = nullptr;
  /// One for each region_ranking, that is, for each of `loops`.
  std::deque<actors::ranking_metrics>* ranking_metrics = nullptr;
  /// Likewise one each; null: places are not counted.
  std::deque<actors::place_counts>* places = nullptr;

  ops_parts ops;
  /// Repeated tasks, each run by a child of that name: `housekeeping`, `tls_watch`,
  /// `replica_watch`.
  std::vector<std::pair<std::string, actors::repeated_task_settings>> repeated;
  std::vector<served_loop> loops;
};

/// The child specs of a node's supervisor: the name of each child and how to start it.
std::vector<actors::child_spec> child_specs_of(const std::shared_ptr<const node_parts>& parts);

} // namespace matchcloud::app
