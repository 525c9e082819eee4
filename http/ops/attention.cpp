#include "http/ops/attention.hpp"

#include "model/json/json_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace matchcloud::http {

namespace {

using model::json_writer;
using std::chrono::days;
using std::chrono::seconds;

using severity = actors::attention_severity;

/// How the value of a metric tells that there is a cause.
enum class sign : std::uint8_t {
  /// It rose within `attention::span`.
  rises,
  /// It is above the bound.
  above,
  /// It was higher within `attention::span`.
  falls,
  /// It is a time in seconds since 1970 that is less than the bound ahead of now.
  due_within,
  /// It is a time in seconds since 1970 that is more than the bound ago.
  older_than,
  /// There is no such metric.
  absent,
};

struct cause {
  std::string_view name;
  severity how_bad;
  std::string_view metric;
  /// Only samples of which a label's value begins so count.
  std::string_view label = {};
  sign tells = sign::rises;
  double bound = 0;
  std::string_view what;
  /// A path of the ops plane.
  std::string_view look_at;
};

constexpr double as_seconds(days of) {
  return static_cast<double>(std::chrono::duration_cast<seconds>(of).count());
}

/// The causes that a metric tells of, the worst first.
constexpr std::array causes{
    cause{
        "store_away",
        severity::critical,
        "matchcloud_store_age_seconds",
        {},
        sign::above,
        10,
        "The store has not answered for more than 10 s. What is known of it gets old, and exports "
        "and changes fail.",
        "/metrics"},
    cause{"disk_full", severity::critical, "matchcloud_requests_total", "507", sign::rises, 0,
          "Requests were answered with 507: there is no room left on the disk of the store or of "
          "exports.",
          "/v1/traces?status=507"},
    cause{"failed_requests", severity::critical, "matchcloud_requests_total", "5", sign::rises, 0,
          "Requests were answered with 5xx in the last minutes.", "/v1/traces"},
    cause{"supervisor_restarts",
          severity::critical,
          "matchcloud_supervisor_restarts_total",
          {},
          sign::rises,
          0,
          "A supervisor died and was replaced.",
          "/actors"},
    cause{"actor_restarts",
          severity::warning,
          "matchcloud_actor_restarts_total",
          {},
          sign::rises,
          0,
          "Actors died and were started again. Their last error says why.",
          "/actors"},
    cause{"certificate_expires",
          severity::warning,
          "matchcloud_tls_certificate_expiry_timestamp_seconds",
          {},
          sign::due_within,
          as_seconds(days{14}),
          "A certificate expires within 14 days.",
          "/v1/config"},
    cause{"certificate_refused",
          severity::warning,
          "matchcloud_tls_refused_total",
          {},
          sign::rises,
          0,
          "A replaced certificate was not taken up; the log says why.",
          "/v1/config"},
    cause{"replicas_missing",
          severity::warning,
          "matchcloud_replicas",
          {},
          sign::falls,
          0,
          "Fewer processes serve from the store than minutes ago.",
          "/metrics"},
    cause{"exports_taken_over",
          severity::warning,
          "matchcloud_exports_taken_over_total",
          {},
          sign::rises,
          0,
          "Exports of another replica were taken over: it no longer made them.",
          "/v1/exports"},
    cause{"exports_failed",
          severity::warning,
          "matchcloud_exports_failed_total",
          {},
          sign::rises,
          0,
          "Exports failed.",
          "/v1/traces?operation=export_lobby_history"},
    cause{"leases_lost",
          severity::warning,
          "matchcloud_export_leases_lost_total",
          {},
          sign::rises,
          0,
          "Another replica took over exports that this one still made: it did not reach the store "
          "in time.",
          "/v1/exports"},
    cause{"renewals_failed",
          severity::warning,
          "matchcloud_replica_renewals_failed_total",
          {},
          sign::rises,
          0,
          "This process could not say in the store that it serves. Other replicas take over its "
          "exports after 10 s.",
          "/v1/replicas"},
    cause{"requests_shed",
          severity::warning,
          "matchcloud_shed_total",
          {},
          sign::rises,
          0,
          "Cheap requests were refused, because more came than can be answered.",
          "/v1/history"},
    cause{"mailbox_full",
          severity::warning,
          "matchcloud_mailbox_full_total",
          {},
          sign::rises,
          0,
          "Requests were refused because too many waited for an owner.",
          "/actors"},
    cause{"store_sessions_missed",
          severity::warning,
          "matchcloud_store_sessions_missed_total",
          {},
          sign::rises,
          0,
          "Requests found no free session of the store in time.",
          "/metrics"},
    cause{"bucket_calls_refused",
          severity::warning,
          "matchcloud_objects_calls_refused_total",
          {},
          sign::rises,
          0,
          "Calls to the bucket were refused because too many were under way.",
          "/metrics"},
    cause{"bucket_failing", severity::warning, "matchcloud_objects_calls_total", "failed",
          sign::rises, 0, "Calls to the bucket failed, repetitions included.", "/metrics"},
    cause{"rate_limit_table_full",
          severity::warning,
          "matchcloud_rate_limit_shared_total",
          {},
          sign::rises,
          0,
          "The table of rate limits is full: clients share limits.",
          "/metrics"},
    cause{"log_lines_dropped",
          severity::warning,
          "matchcloud_log_lines_dropped_total",
          {},
          sign::rises,
          0,
          "Lines of the log were dropped: stderr takes them too slowly.",
          "/metrics"},
    cause{"access_log_lines_dropped",
          severity::warning,
          "matchcloud_access_log_lines_dropped_total",
          {},
          sign::rises,
          0,
          "Lines of the access log were dropped: its file takes them too slowly.",
          "/v1/config"},
    cause{
        "geoip_absent",
        severity::notice,
        "matchcloud_geoip_built_timestamp_seconds",
        {},
        sign::absent,
        0,
        "There is no GeoIP file: nobody's place is known, and all get the regions of the fallback "
        "location, or in no order of distance.",
        "/v1/config"},
    cause{"geoip_old",
          severity::notice,
          "matchcloud_geoip_built_timestamp_seconds",
          {},
          sign::older_than,
          as_seconds(days{60}),
          "A GeoIP file is older than 60 days; addresses move.",
          "/v1/config"},
    cause{"geoip_refused",
          severity::warning,
          "matchcloud_geoip_refused_total",
          {},
          sign::rises,
          0,
          "A replaced GeoIP file was not taken up; the log says why.",
          "/v1/config"},
    cause{"faults_injected",
          severity::notice,
          "matchcloud_faults_hit_total",
          {},
          sign::rises,
          0,
          "Faults were injected on purpose in the last minutes.",
          "/faults"},
};

/// An operation is slow from here on, but for those that write or send files.
constexpr std::uint64_t slow_from_ns = 250'000'000;
/// An event loop is busy from this share of the time on.
constexpr double busy_from = 0.9;
/// How much of the past tells whether an operation is slow, or a loop busy.
constexpr seconds slow_span{60};

constexpr bool sends_files(operation which) noexcept {
  return which == operation::export_lobby_history || which == operation::download_export ||
         which == operation::download_media;
}

bool has_label(std::initializer_list<base::metric_label> labels, std::string_view begin) {
  return begin.empty() || std::ranges::any_of(labels, [begin](const base::metric_label& each) {
           return each.value.starts_with(begin);
         });
}

} // namespace

attention::attention(const base::metric_set& metrics, const service_history& history,
                     const bound_use& bounds, const base::clock& clock)
    : metrics_{metrics}, history_{history}, bounds_{bounds}, clock_{clock} {
  moments_.push_back(read());
}

attention::moment attention::read() const {
  moment now{clock_.now(), std::vector<std::optional<double>>(causes.size())};
  for (const auto& metric : metrics_.metrics())
    for (std::size_t i = 0; i < causes.size(); ++i) {
      const auto& of = causes[i];
      if (metric.text.name != of.metric) continue;
      auto& into = now.values[i];
      metric.read([&](auto labels, const base::metric_value& value) {
        if (!has_label(labels, of.label)) return;
        const bool is_moment = of.tells == sign::due_within || of.tells == sign::older_than;
        into = is_moment ? std::min(into.value_or(value.number), value.number)
                         : into.value_or(0) + value.number;
      });
    }
  return now;
}

void attention::sample() {
  const std::lock_guard lock{mutex_};
  if (clock_.now() - moments_.back().at < interval) return;
  moments_.push_back(read());
  while (moments_.size() > 1 && moments_.back().at - moments_[1].at >= span)
    moments_.pop_front();
}

std::vector<std::string_view> attention::looked_for() const {
  std::vector<std::string_view> names{"not_ready", "slow_operation", "loop_busy",
                                      "bound_nearly_reached"};
  const auto now = read();
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i].tells == sign::absent || now.values[i]) names.push_back(causes[i].name);
  return names;
}

std::vector<attention_finding> attention::find(bool is_ready) const {
  std::vector<attention_finding> found;
  if (!is_ready)
    found.push_back({severity::critical, "not_ready",
                     "The service is not ready: balancers send it nothing.", "/readyz"});
  const auto past = history_.past(slow_span);
  find_slow(past, found);
  find_busy(past, found);
  for (const auto& [of, share] : bounds_.read())
    if (of->then == when_full::refuse && share >= of->nearly_full)
      found.push_back({severity::warning, "bound_nearly_reached",
                       "Of the bound " + of->name + " " + std::to_string(std::lround(share * 100)) +
                           " % is used. When it is full, what comes is refused.",
                       "/metrics", share * 100});
  find_causes(found);
  return found;
}

void attention::find_busy(const history_interval& past, std::vector<attention_finding>& to) {
  const auto span_us = static_cast<double>(past.end_ms - past.begin_ms) * 1e3;
  for (std::size_t i = 0; i < past.busy_us.size() && span_us > 0; ++i)
    if (const auto share = static_cast<double>(past.busy_us[i]) / span_us; share >= busy_from)
      to.push_back({severity::warning, "loop_busy",
                    "Event loop " + std::to_string(i) + " worked " +
                        std::to_string(std::lround(share * 100)) +
                        " % of the last minute. Give the service more cores, or add a replica.",
                    "/v1/history", share * 100});
}

void attention::find_slow(const history_interval& past, std::vector<attention_finding>& to) {
  for (const auto& [id, requests] : past.operations)
    if (row_of(id).plane == plane::data && !sends_files(id))
      if (const auto p99 = requests.latency.percentile_ns(0.99); p99 >= slow_from_ns)
        to.push_back({severity::warning, "slow_operation",
                      "Of " + std::string{row_of(id).name} + " one request in a hundred took " +
                          std::to_string(p99 / 1'000'000) + " ms or more in the last minute.",
                      "/v1/traces?operation=" + std::string{row_of(id).name},
                      static_cast<double>(p99) / 1e6});
}

void attention::find_causes(std::vector<attention_finding>& to) const {
  const std::lock_guard lock{mutex_};
  const auto now = read();
  const auto now_s = static_cast<double>(clock_.unix_ms()) / 1e3;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const auto& of = causes[i];
    const auto value = now.values[i];
    const auto add = [&](std::optional<double> shown) {
      to.push_back(
          {of.how_bad, std::string{of.name}, std::string{of.what}, std::string{of.look_at}, shown});
    };
    if (!value) {
      if (of.tells == sign::absent) add({});
      continue;
    }
    const auto before = moments_.front().values[i].value_or(0);
    double highest = *value;
    for (const auto& each : moments_)
      highest = std::max(highest, each.values[i].value_or(0));
    const bool holds = (of.tells == sign::rises && *value > before) ||
                       (of.tells == sign::above && *value > of.bound) ||
                       (of.tells == sign::falls && *value < highest) ||
                       (of.tells == sign::due_within && *value - now_s < of.bound) ||
                       (of.tells == sign::older_than && now_s - *value > of.bound);
    if (holds) add(of.tells == sign::rises ? *value - before : *value);
  }
}

std::vector<std::string_view> metrics_of_causes() {
  std::vector<std::string_view> names(causes.size());
  std::ranges::transform(causes, names.begin(), &cause::metric);
  return names;
}

std::string render_attention(std::vector<attention_finding> found,
                             const std::vector<std::string_view>& looked_for) {
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each.severity; });
  json_writer json;
  json.object().name("looked_for").array();
  for (const auto name : looked_for)
    json.text(name);
  json.end_array().name("findings").array();
  for (const auto& each : found) {
    json.object().name("cause").text(each.cause).name("severity");
    json.text(actors::attention_severity_names[static_cast<std::size_t>(each.severity)]);
    json.name("what").text(each.what).name("value");
    each.value ? json.number(static_cast<std::int64_t>(*each.value)) : json.null();
    json.name("look_at").text(each.look_at).end_object();
  }
  return json.end_array().end_object().take();
}

} // namespace matchcloud::http
