#pragma once

#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "model/text/uuid.hpp"

#include <functional>
#include <memory>

namespace matchcloud::store {
class database;
class export_store;
class geoip_files;
class image_source;
class secret_ring;
class store_contact;
class store_fence;
} // namespace matchcloud::store

namespace matchcloud::actors {

class avatar_lists;
class fault_switch;
class ingest_store;
class latency_map_state;
class lobby_export_state;
class report_gate;
struct export_metrics;
struct geoip_metrics;
struct ingestion_metrics;

/// What the actors of a node share, made once. Each actor gets it with its own settings. It and
/// what it points to outlive the actors, and the tasks that they give to the pools.
struct services {
  const base::clock* clock = &base::machine_clock();

  /// For short blocking work that requests wait for.
  base::blocking_pool* short_work = nullptr;
  /// For short work that waits for the store. It differs from `short_work` if the store is on a
  /// server, so that files do not wait for a server that does not answer.
  base::blocking_pool* store_work = nullptr;
  /// Threads of low priority for exports.
  base::blocking_pool* long_work = nullptr;
  /// For removing and counting files of exports, which may take long.
  base::blocking_pool* tidy_work = nullptr;
  /// For the ops plane: they parse lobbies, write what administrators change, and survey lobbies.
  base::blocking_pool* ingesting = nullptr;
  base::blocking_pool* administering = nullptr;
  base::blocking_pool* surveying = nullptr;

  std::shared_ptr<store::database> database;
  /// The store as the ops plane uses it.
  std::shared_ptr<store::database> administered;
  /// When the store last answered; null: not recorded.
  std::shared_ptr<store::store_contact> contact;
  /// Closed once only newer programs may use the store; null: that never happens.
  std::shared_ptr<store::store_fence> fence;
  std::shared_ptr<store::export_store> exports;
  std::shared_ptr<store::secret_ring> signing_keys;
  std::shared_ptr<store::image_source> images;
  /// Images that are always served here: the console requests them like everything else.
  std::shared_ptr<store::image_source> ops_images;
  /// Null if there are none. Successive watches share it, so that a successor keeps what its
  /// predecessor found.
  std::shared_ptr<store::geoip_files> geoip_files;

  /// What outlives the actors that change it.
  std::shared_ptr<actors::avatar_lists> avatar_lists;
  std::shared_ptr<lobby_export_state> export_state;
  /// Null: nothing is learned.
  std::shared_ptr<latency_map_state> latencies;
  std::shared_ptr<report_gate> latency_gate;
  std::shared_ptr<actors::ingest_store> ingest_store;
  /// Null: faults cannot be injected.
  std::shared_ptr<fault_switch> faults;

  actors::export_metrics* export_metrics = nullptr;
  actors::geoip_metrics* geoip_metrics = nullptr;
  actors::ingestion_metrics* ingestion_metrics = nullptr;

  /// Makes random UUIDs (version 4).
  std::function<model::uuid()> new_id;
};

} // namespace matchcloud::actors
