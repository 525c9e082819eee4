#pragma once

#include "actors/fault_control/fault_control.hpp"
#include "actors/ingestion/lobby_ingest.hpp"
#include "actors/reports/reports.hpp"
#include "actors/request/services.hpp"
#include "actors/request/trace_log.hpp"
#include "app/config/config.hpp"
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

/// What only the ops plane uses: stores and threads of its own, so that a hanging store delays
/// nothing else, and the sources of its reports.
class ops_services {
public:
  /// Opens the stores, and sets what the actors of the ops plane use in `with`. The node's store is
  /// shared if it is on a server, so that its connections are bounded together; other stores are
  /// behind the same fence. Throws `base::failure`.
  ops_services(const serve_config& config, actors::services& with);

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

  /// The reports; they need `report_from` first.
  actors::report_sources reports() const;
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
  base::thread_pool surveying_;
  base::thread_pool ingesting_;
  base::thread_pool administering_;
};

} // namespace matchcloud::app
