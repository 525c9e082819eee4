#pragma once

#include "actors/child_table.hpp"
#include "app/config/config.hpp"
#include "base/expected.hpp"
#include "http/ops/catalog_admin.hpp"
#include "http/ops/fault_admin.hpp"
#include "http/ops/lobby_ingestion.hpp"
#include "http/ops/ops_plane.hpp"
#include "http/ops/service_metrics.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace matchcloud::app {

/// The ops plane of a node with everything that it serves.
class ops_services {
public:
  /// Opens what it needs from the store. What `sources` points to must outlive this. Errors say
  /// what could not be opened.
  static base::expected<std::unique_ptr<ops_services>> open(const serve_config& config,
                                                            http::metric_sources sources);

  http::ops_plane& plane() noexcept { return *plane_; }
  /// The seed that decides at which passes a fault point fires; empty if injection is off.
  std::optional<std::uint64_t> fault_seed() const noexcept { return fault_seed_; }
  /// Releases everything that a fault stalls; otherwise the threads that are joined first
  /// (ingestion) would never end.
  void end_faults();

private:
  ops_services() = default;

  base::expected<void> add_ingestion(const serve_config& config);
  base::expected<void> add_catalog(const serve_config& config);
  void add_actors();
  void add_faults(const serve_config& config);

  std::optional<std::uint64_t> fault_seed_;
  http::ingestion_metrics ingestion_metrics_;
  const actors::child_table* children_ = nullptr;
  std::vector<const http::transport_metrics*> transports_;
  std::unique_ptr<http::service_metrics> metrics_;
  std::unique_ptr<http::lobby_ingestion> ingestion_;
  std::unique_ptr<http::catalog_admin> catalog_admin_;
  /// Null if fault injection is off.
  std::unique_ptr<http::fault_admin> fault_admin_;
  // Declared last to be destroyed first: its threads use the members above.
  std::unique_ptr<http::ops_plane> plane_;
};

} // namespace matchcloud::app
