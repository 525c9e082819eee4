#include "http/ops/service_reports.hpp"

#include "http/ops/actor_report.hpp"
#include "http/ops/render_metrics.hpp"

#include <chrono>
#include <utility>

namespace matchcloud::http {

namespace {

constexpr std::string_view weaker_cause = "protection_weaker";

} // namespace

service_reports::service_reports(reported_service of) : of_{std::move(of)} {
  of_.board->tell_with([this] { return replicas_.summary(); });
}

void service_reports::show(base::metric_set& in) const {
  bounds_.show(in);
  in.add_gauge({"matchcloud_history_bytes", "Memory of the history that /v1/history returns."},
               [this] { return static_cast<double>(history_.used_bytes()); });
}

void service_reports::show_weaker(std::vector<std::string> protections) {
  const std::lock_guard lock{weaker_mutex_};
  weaker_ = std::move(protections);
  weaker_since_ms_ = base::machine_clock().unix_ms();
}

std::string service_reports::attention_report() const {
  auto found = attention_.find(is_ready());
  {
    const std::lock_guard lock{weaker_mutex_};
    for (const auto& each : weaker_)
      found.push_back({actors::attention_severity::warning,
                       std::string{weaker_cause},
                       "Since the last start a protection is weaker: " + each + ".",
                       "/v1/config",
                       {},
                       {},
                       {{{{"protection", each}}}},
                       weaker_since_ms_});
  }
  auto looked_for = attention_.looked_for();
  looked_for.push_back(weaker_cause);
  return render_attention(std::move(found), looked_for);
}

std::string service_reports::replicas_report() const {
  std::vector<told_summary> heard;
  for (const auto& each : of_.board->heard())
    heard.push_back({to_string(each.replica_id),
                     std::chrono::milliseconds{of_.clock->unix_ms() - each.told_ts}, each.summary});
  return replicas_.report(heard);
}

actors::report_sources service_reports::sources() {
  return {[this] { return render_metrics(*of_.metrics); },
          [this] { return actor_report(of_.sources); },
          [this] { return status_.report(is_ready(), history_.latest()); },
          [this] {
            history_.sample();
            attention_.sample(is_ready());
            of_.traces->age();
          },
          [this] { return places_.report(); },
          [this](const actors::trace_query& wanted) { return of_.traces->report(wanted); },
          [this](const actors::past_query& wanted) { return history_.report(wanted); },
          [this] { return attention_report(); },
          [this] { return replicas_report(); }};
}

} // namespace matchcloud::http
