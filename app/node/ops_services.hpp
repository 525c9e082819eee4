#pragma once

#include "actors/fault_control/fault_control.hpp"
#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/reports/reports.hpp"
#include "actors/request/trace_log.hpp"
#include "app/config/config.hpp"
#include "app/node/child_specs.hpp"
#include "base/blocking_pool.hpp"
#include "http/front/service_state.hpp"
#include "http/ops/attention.hpp"
#include "http/ops/bound_use.hpp"
#include "http/ops/replica_report.hpp"
#include "http/ops/service_history.hpp"
#include "http/ops/status_report.hpp"
#include "store/database.hpp"
#include "store/replica_lease.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace matchcloud::app {

/// What the owners of the ops plane depend on: stores and threads of their own, so that a hanging
/// store delays nothing else, and the sources of their reports.
class ops_services {
public:
  /// `of_server` is the node's open store if it is on a server: it is shared, so that its
  /// connections are bounded together. All other stores are behind `fence`. Throws `base::failure`.
  static std::unique_ptr<ops_services> open(const serve_config& config,
                                            const std::shared_ptr<store::database>& of_server,
                                            const std::shared_ptr<store::store_fence>& fence);

  /// The sources of reports, which outlive them.
  struct reported {
    const base::metric_set* metrics = nullptr;
    http::status_sources sources;
    std::shared_ptr<actors::trace_log> traces;
    http::shared_service_state state;
    const http::bound_use* bounds = nullptr;
    http::replica_report::identity self;
    std::shared_ptr<store::replica_board> board;
    const store::store_clock* clock = nullptr;
  };

  /// Sets the sources; call before the actors start.
  void report_from(reported from);

  /// What the actors of the ops plane use of these. The reports need `report_from` first.
  ops_parts parts(const base::clock& clock);
  actors::ingestion_metrics& ingestion_metrics() noexcept { return ingestion_metrics_; }

  /// Shows in `attention` which protections are weaker than at the last start. Any thread.
  void show_weaker(std::vector<std::string> protections);

  std::size_t history_bytes() const { return history_->used_bytes(); }

  /// The seed that decides at which passes a fault point fires; empty if injection is off.
  std::optional<std::uint64_t> fault_seed() const noexcept { return fault_seed_; }
  const std::shared_ptr<actors::fault_switch>& faults() const noexcept { return faults_; }

  /// Waits for the work of the pools and writes the sums of ingests. Call when no actor is left.
  void end();

private:
  ops_services() = default;

  void ingest_into(std::shared_ptr<store::database> into, const serve_config& config,
                   std::size_t threads);

  actors::report_sources reports() const;
  std::string attention() const;
  void find_weaker(std::vector<http::attention_finding>& to) const;
  bool is_ready() const { return *from_.state == http::service_state::ready; }
  /// What other replicas reported.
  std::vector<http::told_summary> heard() const;

  std::optional<std::uint64_t> fault_seed_;
  std::shared_ptr<actors::fault_switch> faults_ = std::make_shared<actors::fault_switch>();
  actors::ingestion_metrics ingestion_metrics_;
  std::shared_ptr<actors::ingest_store> ingest_store_;
  std::shared_ptr<store::database> administered_;
  reported from_;
  mutable std::mutex weaker_mutex_;
  std::vector<std::string> weaker_;
  std::int64_t weaker_since_ms_ = 0;
  std::unique_ptr<http::service_history> history_;
  std::unique_ptr<http::attention> attention_;
  std::unique_ptr<http::replica_report> replicas_;
  std::unique_ptr<http::status_meter> status_;
  std::unique_ptr<http::place_report> places_;
  std::unique_ptr<base::thread_pool> surveying_;
  std::unique_ptr<base::thread_pool> ingesting_;
  std::unique_ptr<base::thread_pool> administering_;
};

} // namespace matchcloud::app
