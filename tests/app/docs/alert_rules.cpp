#include "tests/app/docs/tables.hpp"

#include "http/ops/attention.hpp"
#include "http/ops/attention_causes.hpp"
#include "model/json/json_writer.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace matchcloud::app {
namespace {

using http::attention_causes::cause;
using http::attention_causes::sign;

/// An alert that is made from causes: it fires if one of them holds for `pending`.
struct made_alert {
  std::string name;
  std::vector<std::string_view> causes;
  std::string pending;
  /// Labels that it has besides the job and the instance.
  std::string by = {};
};

const std::vector<made_alert> made_alerts{
    {"StoreAway", {"store_away"}, "1m"},
    {"IngestionStopped", {"ingestion_stopped"}, "5m"},
    {"GeoipOld", {"geoip_old"}, "10m"},
    {"GeoipAbsent", {"geoip_absent"}, "10m"},
    {"CertificateExpires", {"certificate_expires"}, "10m"},
    {"RateLimitTableFull", {"rate_limit_table_full"}, "5m"},
    {"RequestsRefused", {"requests_refused"}, "5m"},
    {"ProcessorWaits", {"processor_waits"}, "1m"},
    {"Sheds", {"requests_shed", "mailbox_full"}, "5m", ", owner"},
    {"ClientsGone", {"clients_gone"}, "5m", ", operation"},
    {"LeasesLost", {"exports_taken_over"}, "0m"},
    {"BucketFailing", {"bucket_failing"}, "1m"},
    {"LogLinesDropped", {"log_lines_dropped", "access_log_lines_dropped"}, "0m"}};

const cause& cause_named(std::string_view name) {
  return *std::ranges::find(http::attention_causes::causes, name, &cause::name);
}

std::string minutes_of(std::chrono::minutes span) {
  return "[" + std::to_string(span.count()) + "m]";
}

std::string metric_of(const cause& of) {
  std::string labels;
  if (!of.only.name.empty())
    labels.append(of.only.name).append("=~\"").append(of.only.value).append(".*\"");
  for (const auto& each : of.but)
    if (!each.name.empty())
      labels.append(labels.empty() ? "" : ",")
          .append(each.name)
          .append("!=\"")
          .append(each.value)
          .append("\"");
  return std::string{of.metric} + (labels.empty() ? "" : "{" + labels + "}");
}

std::string expression_of(const cause& of, const std::string& labels) {
  const auto by = " by (job, instance" + labels + ") (";
  const auto metric = metric_of(of);
  const auto rate = [&](const std::string& name) {
    return "(rate(" + name + minutes_of(http::attention::span) + "))";
  };
  std::string bound;
  model::append_shortest(bound, of.bound);
  const auto still = minutes_of(http::attention_causes::still_from);
  switch (of.tells) {
  case sign::rises:
    return "sum" + by + "increase(" + metric + minutes_of(http::attention::span) + ")) > 0";
  case sign::above: return "max" + by + metric + ") > " + bound;
  case sign::due_within: return "min" + by + metric + ") - time() < " + bound;
  case sign::older_than: return "time() - min" + by + metric + ") > " + bound;
  case sign::absent: return "matchcloud_build_info unless on (job, instance) " + metric;
  case sign::stops: // what a replica no longer does, another one may do
    return "sum by (job) (increase(" + metric + still + ")) == 0\n          and sum by (job) (" +
           "increase(" + metric + minutes_of(http::attention_causes::still_told) + " offset " +
           still.substr(1, still.size() - 2) + ")) > 0";
  case sign::share: {
    const auto sum = "sum by (job, instance" + labels + ") ";
    const auto least = std::to_string(http::attention_causes::refused_least / 60);
    return sum + rate(metric) + " / " + sum + rate(std::string{of.metric}) + " > " + bound +
           "\n          and " + sum + rate(metric) + " >= " + least;
  }
  case sign::waits: return "max by (job, instance" + labels + ") " + rate(metric) + " > " + bound;
  case sign::falls: break; // Prometheus knows the processes better: MatchcloudReplicasMissing
  }
  return {};
}

} // namespace

std::string alert_rules() {
  std::string rules;
  for (const auto& [name, of, pending, by] : made_alerts) {
    const auto& first = cause_named(of.front());
    const bool is_critical = first.how_bad == actors::attention_severity::critical;
    std::string expression, anchor = "matchcloud" + name;
    for (const auto& each : of)
      expression.append(expression.empty() ? "" : "\n          or ")
          .append(expression_of(cause_named(each), by));
    std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) { return std::tolower(c); });
    rules.append("      - alert: Matchcloud").append(name);
    rules.append("\n        expr: |\n          ").append(expression);
    rules.append("\n        for: ").append(pending);
    rules.append("\n        labels:\n          severity: ");
    rules.append(is_critical ? "critical" : "warning");
    rules.append("\n        annotations:\n          summary: \"{{ $labels.job }}");
    rules.append(first.tells == sign::stops ? "" : " {{ $labels.instance }}");
    rules.append(": ").append(first.what).append("\"\n          runbook_url: ");
    rules.append("file:///usr/share/doc/matchcloud/docs/runbooks.md#").append(anchor).append("\n");
  }
  return rules;
}

} // namespace matchcloud::app
