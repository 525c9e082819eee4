#pragma once

#include "actors/administration/administration.hpp"
#include "actors/region_ranking/region_ranking.hpp"
#include "actors/repeated_task/repeated_task.hpp"
#include "actors/reports/reports.hpp"
#include "actors/request/services.hpp"
#include "actors/supervision/child_spec.hpp"
#include "app/config/config.hpp"
#include "http/front/access_gate.hpp"
#include "http/loop/event_loop.hpp"
#include "http/transport/exchange.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace matchcloud::app {

/// An event loop with its resident actors, and the transport that owns its front's exchanges.
struct served_loop {
  http::event_loop* loop = nullptr;
  http::exchange_sink* transport = nullptr;
  /// Decides which requests the front admits; shared with the transport.
  std::shared_ptr<http::access_gate> gate = {};
  /// What its region_ranking counts; null: nothing.
  actors::ranking_metrics* ranking_metrics = nullptr;
  actors::place_counts* places = nullptr;
};

/// A node as its actors see it. Everything it points to must outlive them.
struct node_layout {
  caf::actor_system* system = nullptr;
  serve_config config;
  const actors::services* services = nullptr;
  /// Where clients reach the service, base path included.
  std::string public_url;
  /// How often the store and the GeoIP files are polled.
  std::chrono::milliseconds poll_interval{250};
  /// Called with each poll of the store; may be empty.
  std::function<void()> look_at_store;
  /// See `media_settings`.
  std::size_t images_kept_limit = 0;
  actors::administration_settings administration;
  actors::report_sources reports;
  /// Repeated tasks, each run by a child of that name: `housekeeping`, `tls_watch`,
  /// `replica_watch`.
  std::vector<std::pair<std::string, actors::repeated_task_settings>> repeated;
  /// Of the data plane.
  std::vector<served_loop> loops;
  /// Of the ops plane; without a transport there is none.
  served_loop ops;
};

/// The child specs of a node's supervisor: the name of each child and how to start it.
std::vector<actors::child_spec> child_specs_of(const std::shared_ptr<const node_layout>& node);

} // namespace matchcloud::app
