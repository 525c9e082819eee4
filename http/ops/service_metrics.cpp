#include "http/ops/service_metrics.hpp"

#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/faults.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <chrono>
#include <limits>
#include <sstream>
#include <utility>

namespace matchcloud::http {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

using labels = std::vector<ClientMetric::Label>;

MetricFamily family(std::string name, std::string help, MetricType type) {
  MetricFamily result;
  result.name = std::move(name);
  result.help = std::move(help);
  result.type = type;
  return result;
}

ClientMetric counter_metric(labels with, double value) {
  ClientMetric metric;
  metric.label = std::move(with);
  metric.counter.value = value;
  return metric;
}

ClientMetric gauge_metric(double value, labels with = {}) {
  ClientMetric metric;
  metric.label = std::move(with);
  metric.gauge.value = value;
  return metric;
}

/// The sum of several histograms as one Prometheus histogram (cumulative buckets, seconds).
template <class Histograms>
ClientMetric histogram_metric(labels with, const Histograms& parts) {
  constexpr double seconds_per_ns = 1e-9;
  const auto& bounds = base::duration_histogram::bounds_ns;
  ClientMetric metric;
  metric.label = std::move(with);
  std::uint64_t cumulative = 0;
  std::uint64_t sum_ns = 0;
  for (const auto* part : parts)
    sum_ns += part->sum_ns();
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    for (const auto* part : parts)
      cumulative += part->bucket(i);
    const double bound = i < bounds.size() ? static_cast<double>(bounds[i]) * seconds_per_ns
                                           : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({cumulative, bound});
  }
  metric.histogram.sample_count = cumulative;
  metric.histogram.sample_sum = static_cast<double>(sum_ns) * seconds_per_ns;
  return metric;
}

template <class Number>
auto value_of(const Number& number) {
  return number.get();
}
std::size_t value_of(const std::atomic<std::size_t>& number) {
  return number.load(std::memory_order_relaxed);
}

MetricFamily answers_family(const std::vector<const transport_metrics*>& transports) {
  auto result = family("matchcloud_requests_total", "Answered requests by operation and status.",
                       MetricType::Counter);
  for (std::size_t op = 0; op < operation_count; ++op) {
    for (std::size_t column = 0; column <= known_statuses.size(); ++column) {
      std::uint64_t count = 0;
      for (const auto* part : transports)
        count += part->answers[op][column].get();
      if (count == 0) continue;
      const auto status =
          column < known_statuses.size() ? std::to_string(known_statuses[column]) : "other";
      result.metric.push_back(
          counter_metric({{"operation", std::string{operations[op].name}}, {"status", status}},
                         static_cast<double>(count)));
    }
  }
  return result;
}

/// Adds, for each kind of owner, the requests that wait for it and those refused because its
/// mailbox was full or load was shed.
void add_mailboxes(std::vector<MetricFamily>& all,
                   const std::vector<const transport_metrics*>& transports) {
  auto waiting =
      family("matchcloud_mailbox_requests", "Requests that wait for an owner.", MetricType::Gauge);
  auto full = family("matchcloud_mailbox_full_total",
                     "Requests refused because as many waited for their owner as may.",
                     MetricType::Counter);
  auto shed = family("matchcloud_shed_total",
                     "Cheap requests refused to leave the rest of max-in-flight to others.",
                     MetricType::Counter);
  for (std::size_t kind = 1; kind < base::owner_count; ++kind) {
    const labels named{{"owner", std::string{base::owner_names[kind]}}};
    double now = 0;
    std::uint64_t refused = 0;
    std::uint64_t dropped = 0;
    for (const auto* part : transports) {
      refused += part->mailbox_full[kind].get();
      dropped += part->shed[kind].get();
      now += static_cast<double>(value_of(part->at_owner[kind]));
    }
    waiting.metric.push_back(gauge_metric(now, named));
    full.metric.push_back(counter_metric(named, static_cast<double>(refused)));
    shed.metric.push_back(counter_metric(named, static_cast<double>(dropped)));
  }
  for (auto* each : {&waiting, &full, &shed})
    all.push_back(std::move(*each));
}

/// A counter for each of `names`, as the label `label`: the sum of the elements of that number in
/// the `member` of all `parts`.
template <std::size_t Count>
MetricFamily summed_by(std::string name, std::string help, const char* label,
                       const std::array<std::string_view, Count>& names,
                       const std::vector<const transport_metrics*>& parts,
                       std::array<base::counter, Count> transport_metrics::*member) {
  auto result = family(std::move(name), std::move(help), MetricType::Counter);
  for (std::size_t i = 0; i < Count; ++i) {
    std::uint64_t sum = 0;
    for (const auto* part : parts)
      sum += (part->*member)[i].get();
    result.metric.push_back(
        counter_metric({{label, std::string{names[i]}}}, static_cast<double>(sum)));
  }
  return result;
}

/// Adds the requests that were not let in, of both planes: without a token that may, and over a
/// rate limit.
void add_access(std::vector<MetricFamily>& all,
                const std::vector<const transport_metrics*>& transports) {
  all.push_back(summed_by("matchcloud_access_refused_total",
                          "Requests answered with 401 or 403 for their token, by why.", "why",
                          access_refusal_names, transports, &transport_metrics::access_refused));
  auto limited = family("matchcloud_rate_limited_total",
                        "Requests answered with 429, by whose limit it was and the class of cost.",
                        MetricType::Counter);
  for (std::size_t whose = 0; whose < limited_subject_names.size(); ++whose)
    for (std::size_t cost = 0; cost < cost_class_names.size(); ++cost) {
      std::uint64_t sum = 0;
      for (const auto* part : transports)
        sum += part->rate_limited[whose][cost].get();
      limited.metric.push_back(counter_metric({{"whose", std::string{limited_subject_names[whose]}},
                                               {"cost", std::string{cost_class_names[cost]}}},
                                              static_cast<double>(sum)));
    }
  all.push_back(std::move(limited));
}

MetricFamily latency_family(const std::vector<const transport_metrics*>& transports) {
  auto result = family("matchcloud_request_duration_seconds",
                       "From the complete request to its answer.", MetricType::Histogram);
  for (std::size_t op = 0; op < operation_count; ++op) {
    std::vector<const base::duration_histogram*> parts;
    parts.reserve(transports.size());
    for (const auto* part : transports)
      parts.push_back(&part->latency[op]);
    result.metric.push_back(
        histogram_metric({{"operation", std::string{operations[op].name}}}, parts));
  }
  return result;
}

template <class Metrics, class Member>
MetricFamily summed(std::string name, std::string help, MetricType type,
                    const std::vector<const Metrics*>& parts, Member member) {
  double sum = 0;
  for (const auto* part : parts)
    sum += static_cast<double>(value_of(part->*member));
  auto result = family(std::move(name), std::move(help), type);
  result.metric.push_back(type == MetricType::Counter ? counter_metric({}, sum)
                                                      : gauge_metric(sum));
  return result;
}

/// Adds a metric that is one number.
void add_single(std::vector<MetricFamily>& all, const char* name, const char* help, MetricType type,
                double value) {
  all.push_back(family(name, help, type));
  all.back().metric.push_back(type == MetricType::Counter ? counter_metric({}, value)
                                                          : gauge_metric(value));
}

void add_ingestion(std::vector<MetricFamily>& all, const actors::ingestion_metrics& of) {
  auto lines = family("matchcloud_ingested_lines_total", "Lines of POST /v1/lobbies by outcome.",
                      MetricType::Counter);
  const auto add_line = [&](const char* outcome, const base::counter& count) {
    lines.metric.push_back(
        counter_metric({{"outcome", outcome}}, static_cast<double>(count.get())));
  };
  add_line("accepted", of.accepted);
  add_line("unchanged", of.unchanged);
  add_line("rejected", of.rejected);
  all.push_back(std::move(lines));
  add_single(all, "matchcloud_ingests_running", "POST /v1/lobbies under way.", MetricType::Gauge,
             static_cast<double>(of.running.get()));
  add_single(all, "matchcloud_ingests_over_share_total",
             "POST /v1/lobbies refused because its sender had its share of the places "
             "(ingest-share-percent).",
             MetricType::Counter, static_cast<double>(of.over_share.get()));
  add_single(all, "matchcloud_ingests_too_slow_total",
             "POST /v1/lobbies ended because it sent less than ingest-least-rate while places were "
             "short.",
             MetricType::Counter, static_cast<double>(of.too_slow.get()));
  add_single(all, "matchcloud_store_backlog_bytes",
             "What the store has not tidied away, after the last transaction of an ingest.",
             MetricType::Gauge, static_cast<double>(of.backlog_bytes.get()));
  auto lasted = family("matchcloud_ingest_transaction_seconds",
                       "Transactions of ingests, commit included.", MetricType::Histogram);
  lasted.metric.push_back(histogram_metric({}, std::vector{&of.transactions}));
  all.push_back(std::move(lasted));
}

void add_exports(std::vector<MetricFamily>& all, const actors::export_metrics& of,
                 std::uint64_t file_bytes, std::uint64_t files_over_share) {
  const auto gauge = [&all](const char* name, const char* help, double value) {
    add_single(all, name, help, MetricType::Gauge, value);
  };
  const auto counter = [&all](const char* name, const char* help, const base::counter& count) {
    add_single(all, name, help, MetricType::Counter, static_cast<double>(count.get()));
  };
  gauge("matchcloud_exports_running", "Exports under way.", static_cast<double>(of.running.get()));
  gauge("matchcloud_exports_queued", "Exports that wait for their turn.",
        static_cast<double>(of.queued.get()));
  gauge("matchcloud_exports_waiting", "Requests that wait for an export.",
        static_cast<double>(of.waiting.get()));
  gauge("matchcloud_exports_followed",
        "Exports that other replicas make and requests of this one wait for.",
        static_cast<double>(of.followed.get()));
  counter("matchcloud_exports_taken_over_total",
          "Exports begun here because another replica no longer made them.", of.taken_over);
  gauge("matchcloud_export_file_bytes", "Files of exports, unfinished ones included.",
        static_cast<double>(file_bytes));
  counter("matchcloud_exports_finished_total", "Exports that became a file.", of.finished);
  counter("matchcloud_exports_failed_total", "Exports that became a problem.", of.failed);
  auto over_share = family("matchcloud_exports_over_share_total",
                           "Refusals because a game had its share (export-share-percent) of the "
                           "export queue, or of the space for files.",
                           MetricType::Counter);
  over_share.metric.push_back(
      counter_metric({{"of", "queue"}}, static_cast<double>(of.over_share.get())));
  over_share.metric.push_back(
      counter_metric({{"of", "files"}}, static_cast<double>(files_over_share)));
  all.push_back(std::move(over_share));
  counter("matchcloud_exports_joined_total", "Requests that joined an export under way.",
          of.joined);
  counter("matchcloud_exports_reused_total", "Requests that got a file that was there.", of.reused);
  counter("matchcloud_exports_compressed_total", "Files of which a compressed one was made.",
          of.compressed);
  counter("matchcloud_exported_lobbies_total", "Lobbies written by exports.", of.rows);
  counter("matchcloud_exported_bytes_total", "Bytes of CSV of finished exports.", of.bytes);
}

void add_rankings(std::vector<MetricFamily>& all,
                  const std::vector<const actors::ranking_metrics*>& rankings) {
  using actors::ranking_metrics;
  const auto add = [&](const char* name, const char* help, MetricType type, auto member) {
    all.push_back(summed(name, help, type, rankings, member));
  };
  add("matchcloud_ranking_cache_hits_total", "Listings of regions answered from the cache.",
      MetricType::Counter, &ranking_metrics::hits);
  add("matchcloud_ranking_cache_misses_total", "Listings of regions ranked anew.",
      MetricType::Counter, &ranking_metrics::misses);
  add("matchcloud_ranking_cache_evictions_total", "Cached listings that made room for others.",
      MetricType::Counter, &ranking_metrics::evictions);
  add("matchcloud_ranking_cache_bytes", "Cached listings of regions.", MetricType::Gauge,
      &ranking_metrics::bytes);
  add("matchcloud_ranking_compressed_hits_total",
      "Answers with a listing of regions that was kept compressed.", MetricType::Counter,
      &ranking_metrics::compressed_hits);
  add("matchcloud_ranking_compressed_bytes", "Listings of regions that are kept compressed.",
      MetricType::Gauge, &ranking_metrics::compressed_bytes);
}

void add_children(std::vector<MetricFamily>& all, const actors::child_table& of) {
  auto restarts = family("matchcloud_place_restarts_total", "Actors restarted, by their place.",
                         MetricType::Counter);
  for (const auto& each : of.report())
    restarts.metric.push_back(
        counter_metric({{"place", each.name}}, static_cast<double>(each.restarts)));
  all.push_back(std::move(restarts));
  add_single(all, "matchcloud_supervisor_restarts_total",
             "Supervisors that followed one that died.", MetricType::Counter,
             static_cast<double>(of.supervisor_restarts()));
}

/// Adds what bounds the ops plane.
void add_ops(std::vector<MetricFamily>& all, const transport_metrics& of,
             const base::byte_budget& budget) {
  add_single(all, "matchcloud_ops_connections", "Open connections of the ops plane.",
             MetricType::Gauge, static_cast<double>(of.connections.get()));
  add_single(all, "matchcloud_ops_connections_evicted_idle_total",
             "Connections of the ops plane closed to make room for new ones.", MetricType::Counter,
             static_cast<double>(of.connections_evicted_idle.get()));
  add_single(all, "matchcloud_ops_requests_in_flight",
             "Requests of the ops plane that wait for an actor or are watched.", MetricType::Gauge,
             static_cast<double>(value_of(of.in_flight)));
  add_single(all, "matchcloud_ops_received_bytes_total",
             "Bytes read from clients of the ops plane.", MetricType::Counter,
             static_cast<double>(of.received_bytes.get()));
  add_single(all, "matchcloud_ops_budget_used_bytes",
             "Request and response bytes held by the ops plane.", MetricType::Gauge,
             static_cast<double>(budget.used_bytes()));
}

/// Adds the hits of each fault point that has a rule or was ever hit.
void add_faults(std::vector<MetricFamily>& all) {
  auto hits =
      family("matchcloud_faults_hit_total", "Faults that were injected.", MetricType::Counter);
  for (std::size_t i = 0; i < base::fault_point_count; ++i) {
    const auto now = base::faults::status(static_cast<base::fault_point>(i));
    if (now.rule || now.all_hits > 0)
      hits.metric.push_back(counter_metric({{"point", std::string{facts_of(now.point).name}}},
                                           static_cast<double>(now.all_hits)));
  }
  all.push_back(std::move(hits));
}

void add_geoip(std::vector<MetricFamily>& all, const actors::geoip_metrics& of,
               const store::geoip_files& files) {
  auto built = family("matchcloud_geoip_built_timestamp_seconds",
                      "When the database of a GeoIP file in force was built, in seconds since "
                      "1970.",
                      MetricType::Gauge);
  for (const auto& each : files.describe())
    built.metric.push_back(gauge_metric(static_cast<double>(each.built_s), {{"file", each.path}}));
  all.push_back(std::move(built));
  add_single(all, "matchcloud_geoip_reloads_total", "GeoIP files taken up while serving.",
             MetricType::Counter, static_cast<double>(of.taken.get()));
  add_single(all, "matchcloud_geoip_refused_total",
             "Replaced GeoIP files that were not taken up; the log says why.", MetricType::Counter,
             static_cast<double>(of.refused.get()));
  add_single(all, "matchcloud_geoip_loaded_timestamp_seconds",
             "When a GeoIP file was last loaded, in seconds since 1970.", MetricType::Gauge,
             static_cast<double>(of.last_taken_s.get()));
}

/// What adds a gauge, and a counter, without labels.
auto adders(std::vector<MetricFamily>& all) {
  const auto of = [&all](MetricType type) {
    return [&all, type](const char* name, const char* help, std::uint64_t value) {
      add_single(all, name, help, type, static_cast<double>(value));
    };
  };
  return std::pair{of(MetricType::Gauge), of(MetricType::Counter)};
}

void add_sessions(std::vector<MetricFamily>& all, const store::session_counts& of) {
  const auto [gauge, counter] = adders(all);
  gauge("matchcloud_store_sessions_limit", "Sessions of the store that there may be at once.",
        of.limit);
  gauge("matchcloud_store_sessions_used", "Sessions of the store in use.", of.lent);
  gauge("matchcloud_store_sessions_idle", "Sessions of the store kept for the next use.", of.idle);
  counter("matchcloud_store_sessions_opened_total", "Sessions of the store opened.", of.opened);
  counter("matchcloud_store_sessions_failed_total",
          "Sessions of the store that could not be opened.", of.open_failures);
  counter("matchcloud_store_sessions_missed_total",
          "Requests that waited for a session of the store in vain.", of.timeouts);
}

void add_store(std::vector<MetricFamily>& all, const metric_sources& of) {
  if (of.contact)
    add_single(all, "matchcloud_store_age_seconds",
               "How long ago the store last answered, and so how old what is known of it may be.",
               MetricType::Gauge,
               std::chrono::duration<double>{of.contact->age(base::machine_clock().now())}.count());
  if (of.database) add_sessions(all, of.database->count());
  if (of.replicas)
    add_single(all, "matchcloud_replicas",
               "Processes that serve from the store, this one included.", MetricType::Gauge,
               static_cast<double>(of.replicas->get()));
}

void add_objects(std::vector<MetricFamily>& all, const store::object_counts& of) {
  const auto [gauge, counter] = adders(all);
  gauge("matchcloud_objects_calls_limit", "Calls to the bucket that there may be at once.",
        of.in_progress_limit);
  gauge("matchcloud_objects_calls_in_progress", "Calls to the bucket, and uploads.",
        of.in_progress);
  counter("matchcloud_objects_calls_refused_total",
          "Calls to the bucket that were refused because there were as many as may.",
          of.overloaded);
  counter("matchcloud_objects_calls_repeated_total",
          "Attempts of calls to the bucket after the first.", of.repetitions);
  counter("matchcloud_objects_sent_bytes_total", "Bytes sent to the bucket.", of.sent_bytes);
  counter("matchcloud_objects_received_bytes_total", "Bytes received from the bucket.",
          of.received_bytes);
  add_single(all, "matchcloud_objects_answered_timestamp_seconds",
             "When the bucket last answered, in seconds since 1970; 0: not yet.", MetricType::Gauge,
             static_cast<double>(of.answered_ts) / 1'000);
  auto calls = family("matchcloud_objects_calls_total", "Calls to the bucket, by their end.",
                      MetricType::Counter);
  calls.metric.push_back(
      counter_metric({{"outcome", "succeeded"}}, static_cast<double>(of.succeeded)));
  calls.metric.push_back(counter_metric({{"outcome", "failed"}}, static_cast<double>(of.failed)));
  all.push_back(std::move(calls));
}

void add_tls(std::vector<MetricFamily>& all, const tls_metrics& of,
             const std::vector<const transport_metrics*>& transports) {
  all.push_back(summed_by("matchcloud_tls_handshakes_total", "TLS handshakes that ended, by how.",
                          "how", handshake_end_names, transports, &transport_metrics::handshakes));
  all.push_back(summed("matchcloud_tls_handshakes_in_progress", "TLS handshakes in progress.",
                       MetricType::Gauge, transports, &transport_metrics::handshaking));
  all.push_back(summed("matchcloud_tls_truncated_total",
                       "TLS connections that their client ended without close_notify.",
                       MetricType::Counter, transports, &transport_metrics::tls_truncated));
  add_single(all, "matchcloud_tls_reloads_total", "Replaced certificates taken up while serving.",
             MetricType::Counter, static_cast<double>(of.taken.get()));
  add_single(all, "matchcloud_tls_refused_total",
             "Replaced certificates that were not taken up; the log says why.", MetricType::Counter,
             static_cast<double>(of.refused.get()));
  add_single(all, "matchcloud_tls_certificate_expiry_timestamp_seconds",
             "When the first of the certificates expires, in seconds since 1970.",
             MetricType::Gauge, static_cast<double>(of.first_expiry_s.get()));
}

void add_transports(std::vector<MetricFamily>& all,
                    const std::vector<const transport_metrics*>& transports) {
  all.push_back(summed("matchcloud_connections", "Open client connections.", MetricType::Gauge,
                       transports, &transport_metrics::connections));
  all.push_back(summed("matchcloud_connections_accepted_total", "Accepted client connections.",
                       MetricType::Counter, transports, &transport_metrics::connections_accepted));
  all.push_back(summed("matchcloud_connections_evicted_idle_total",
                       "Idle connections closed to make room for new ones.", MetricType::Counter,
                       transports, &transport_metrics::connections_evicted_idle));
  all.push_back(summed("matchcloud_connections_evicted_stalled_total",
                       "Connections closed because their clients took nothing while others needed "
                       "memory.",
                       MetricType::Counter, transports,
                       &transport_metrics::connections_evicted_stalled));
  all.push_back(summed("matchcloud_connections_refused_total",
                       "Connections refused because their address held its share.",
                       MetricType::Counter, transports, &transport_metrics::connections_refused));
  all.push_back(summed("matchcloud_connections_slowed_total",
                       "Connections read only once a second, because rate limits refused many of "
                       "their requests in a row.",
                       MetricType::Counter, transports, &transport_metrics::connections_slowed));
  all.push_back(summed("matchcloud_clients_held_total",
                       "Times that a client had its share of the requests in service, so that its "
                       "next request waited.",
                       MetricType::Counter, transports, &transport_metrics::clients_held));
  all.push_back(summed("matchcloud_requests_in_flight", "Requests that wait for an actor.",
                       MetricType::Gauge, transports, &transport_metrics::in_flight));
  all.push_back(summed("matchcloud_received_bytes_total", "Bytes read from clients.",
                       MetricType::Counter, transports, &transport_metrics::received_bytes));
  all.push_back(summed("matchcloud_sent_bytes_total", "Bytes written to clients.",
                       MetricType::Counter, transports, &transport_metrics::sent_bytes));
  all.push_back(summed("matchcloud_redispatched_total",
                       "Requests sent again because the actor that held them ended.",
                       MetricType::Counter, transports, &transport_metrics::redispatched));
}

} // namespace

std::vector<const transport_metrics*> metric_sources::all_transports() const {
  auto all = transports;
  all.push_back(ops);
  return all;
}

std::vector<MetricFamily> service_metrics::Collect() const {
  const auto& transports = sources_.transports;
  const auto both_planes = sources_.all_transports();
  std::vector<MetricFamily> all;
  all.push_back(answers_family(both_planes));
  all.push_back(latency_family(both_planes));
  add_transports(all, transports);
  add_mailboxes(all, both_planes);
  add_access(all, both_planes);
  if (sources_.rate_limits != nullptr)
    add_single(all, "matchcloud_rate_limit_shared_total",
               "Requests that a shared limit decided, because the table was full where their own "
               "would be.",
               MetricType::Counter, static_cast<double>(sources_.rate_limits->shared_count()));
  add_ops(all, *sources_.ops, *sources_.ops_budget);

  std::vector<const base::duration_histogram*> stalls;
  stalls.reserve(sources_.loops.size());
  for (const auto* loop : sources_.loops)
    stalls.push_back(&loop->stall);
  auto stall = family("matchcloud_loop_stall_seconds",
                      "How long a turn kept an event loop from looking at its sockets.",
                      MetricType::Histogram);
  stall.metric.push_back(histogram_metric({}, stalls));
  all.push_back(std::move(stall));

  const auto& built = base::built();
  auto info = family("matchcloud_build_info", "1, with what the program was built from as labels.",
                     MetricType::Gauge);
  info.metric.push_back(gauge_metric(1, {{"version", std::string{built.version}},
                                         {"commit", std::string{built.commit}},
                                         {"build_type", std::string{built.build_type}}}));
  all.push_back(std::move(info));

  const auto single = [&all](const char* name, const char* help, MetricType type, double value) {
    add_single(all, name, help, type, value);
  };
  single("matchcloud_actor_restarts_total", "Actors restarted by the supervisor.",
         MetricType::Counter, static_cast<double>(sources_.children->restarts()));
  add_children(all, *sources_.children);
  if (sources_.faults) add_faults(all);
  single("matchcloud_budget_used_bytes", "Request and response bytes held, out of the byte budget.",
         MetricType::Gauge, static_cast<double>(sources_.budget->used_bytes()));
  single("matchcloud_avatar_cache_hits_total", "Avatar lists answered from the cache.",
         MetricType::Counter, static_cast<double>(sources_.avatars->cache_hits.get()));
  single("matchcloud_avatar_loads_total", "Avatar lists read from the store and rendered.",
         MetricType::Counter, static_cast<double>(sources_.avatars->loads.get()));
  single("matchcloud_avatar_cached_bytes", "Rendered avatar lists held by the cache.",
         MetricType::Gauge, static_cast<double>(sources_.avatars->cached_bytes.get()));
  single("matchcloud_media_open_files", "Image files that are open, or were until lately.",
         MetricType::Gauge, static_cast<double>(sources_.media->known()));
  single("matchcloud_blocking_jobs_queued", "Jobs that wait for a blocking thread.",
         MetricType::Gauge, static_cast<double>(sources_.blocking->queued()));
  add_store(all, sources_);
  add_rankings(all, sources_.rankings);
  if (sources_.exports)
    add_exports(all, *sources_.exports,
                sources_.export_files ? sources_.export_files->used_bytes() : 0,
                sources_.export_files ? sources_.export_files->refused_by_share() : 0);
  if (sources_.bucket) add_objects(all, sources_.bucket->count());
  if (sources_.geoip) add_geoip(all, *sources_.geoip, *sources_.geoip_files);
  if (sources_.tls) add_tls(all, *sources_.tls, sources_.all_transports());
  if (sources_.ingestion) add_ingestion(all, *sources_.ingestion);
  return all;
}

std::string render_metrics(const service_metrics& collector) {
  std::ostringstream out;
  prometheus::TextSerializer{}.Serialize(out, collector.Collect());
  return out.str();
}

} // namespace matchcloud::http
