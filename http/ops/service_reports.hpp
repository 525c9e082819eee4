#pragma once

#include "actors/reports/reports.hpp"
#include "actors/request/trace_log.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "http/front/front_settings.hpp"
#include "http/ops/attention.hpp"
#include "http/ops/replica_report.hpp"
#include "http/ops/service_history.hpp"
#include "http/ops/status_report.hpp"
#include "store/replica_lease.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace matchcloud::http {

/// What the reports of a service read. What it points to outlives them.
struct reported_service {
  /// Complete before the first report.
  const base::metric_set* metrics = nullptr;
  status_sources sources;
  std::vector<bound> bounds;
  std::shared_ptr<actors::trace_log> traces;
  shared_service_state state;
  replica_report::identity self;
  std::shared_ptr<store::replica_board> board;
  /// The clock by which other replicas report.
  const base::clock* clock = nullptr;
};

/// The reports of the ops plane and what they remember. Any thread.
class service_reports {
public:
  explicit service_reports(reported_service of);
  ~service_reports() { of_.board->end(); }
  service_reports(const service_reports&) = delete;
  service_reports& operator=(const service_reports&) = delete;

  /// They borrow this.
  actors::report_sources sources();
  /// Adds the use of the bounds, and the memory of the history.
  void show(base::metric_set& in) const;
  /// Shows in `attention` which protections are weaker than at the last start.
  void show_weaker(std::vector<std::string> protections);

private:
  bool is_ready() const { return *of_.state == service_state::ready; }
  std::string attention_report() const;
  std::string replicas_report() const;

  reported_service of_;
  bound_use bounds_{*of_.metrics, of_.bounds};
  service_history history_{of_.sources};
  attention attention_{*of_.metrics, history_, bounds_};
  replica_report replicas_{of_.self, history_, attention_,
                           [state = of_.state] { return name_of(state->load()); }};
  status_meter status_{of_.sources};
  place_report places_{of_.sources.places};
  mutable std::mutex weaker_mutex_;
  std::vector<std::string> weaker_;
  std::int64_t weaker_since_ms_ = 0;
};

/// The current values of the metrics, in the Prometheus text format. Any thread.
std::string render_metrics(const base::metric_set& of);

} // namespace matchcloud::http
