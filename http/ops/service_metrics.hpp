#pragma once

#include "actors/avatar/avatar.hpp"
#include "actors/geoip_watch/geoip_watch.hpp"
#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/lobby_export/export_job.hpp"
#include "actors/region_ranking/region_ranking.hpp"
#include "actors/supervision/child_table.hpp"
#include "base/blocking_pool.hpp"
#include "base/byte_budget.hpp"
#include "base/metrics.hpp"
#include "base/rate_limit.hpp"
#include "http/loop/event_loop.hpp"
#include "http/tls/tls_metrics.hpp"
#include "http/transport/transport_metrics.hpp"
#include "store/database.hpp"
#include "store/media/image_source.hpp"
#include "store/replica_lease.hpp"
#include "store/store_contact.hpp"

#include <prometheus/collectable.h>

#include <string>
#include <vector>

namespace matchcloud::http {

/// Where the numbers of `/metrics` come from. All pointers must outlive the collector.
struct metric_sources {
  /// Those of the data plane: one per event loop, or one for the httplib transport.
  std::vector<const transport_metrics*> transports;
  /// That of the ops plane.
  const transport_metrics* ops = nullptr;
  /// Those of the data plane.
  std::vector<const loop_metrics*> loops;
  const actors::child_table* children = nullptr;
  /// Whether faults can be injected.
  bool faults = false;
  const base::byte_budget* budget = nullptr;
  const base::byte_budget* ops_budget = nullptr;
  const actors::ingestion_metrics* ingestion = nullptr;
  const actors::avatar_metrics* avatars = nullptr;
  /// One per region_ranking.
  std::vector<const actors::ranking_metrics*> rankings;
  /// One per event loop; none where places are not counted.
  std::vector<const actors::place_counts*> places;
  const actors::export_metrics* exports = nullptr;
  const store::export_store* export_files = nullptr;
  const store::image_source* media = nullptr;
  /// Null where images and exports are in the data directory.
  const store::object_store* bucket = nullptr;
  /// Null if there are no GeoIP files.
  const actors::geoip_metrics* geoip = nullptr;
  const store::geoip_files* geoip_files = nullptr;
  /// Null: there are no TLS listeners.
  const tls_metrics* tls = nullptr;
  const base::thread_pool* blocking = nullptr;
  /// When the store last answered, and its sessions.
  const store::store_contact* contact = nullptr;
  const store::database* database = nullptr;
  const store::replica_count* replicas = nullptr;
  /// Null: there are no rate limits.
  const base::rate_limit_table* rate_limits = nullptr;

  /// The transports of both planes, that of the ops plane last.
  std::vector<const transport_metrics*> all_transports() const;
};

/// Sums the counters of transports, loops and actors. Any thread.
class service_metrics final : public prometheus::Collectable {
public:
  explicit service_metrics(metric_sources sources) : sources_{std::move(sources)} {}
  std::vector<prometheus::MetricFamily> Collect() const override;
  const metric_sources& sources() const noexcept { return sources_; }

private:
  metric_sources sources_;
};

/// Everything the collector has, in the Prometheus text format.
std::string render_metrics(const service_metrics& collector);

} // namespace matchcloud::http
