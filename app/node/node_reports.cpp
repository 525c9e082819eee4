#include "app/node/exposure.hpp"
#include "app/node/node.hpp"
#include "app/process/process_limits.hpp"
#include "base/build_info.hpp"
#include "base/faults.hpp"
#include "http/reference/reference.hpp"
#include "model/text/counts.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

// What the node shows about itself: metrics, bounds, the sources of reports, and its health.
namespace matchcloud::app {

namespace {

/// Adds the size of the data directory's file system and how much of it is used.
void show_disk(const std::string& directory, base::metric_set& in) {
  const auto add = [&](const base::metric_text& text, auto value) {
    in.add(base::metric_type::gauge, text, [directory, value](const base::metric_set::sink& to) {
      std::error_code failed;
      const auto space = std::filesystem::space(directory, failed);
      if (!failed) to({}, {static_cast<double>(value(space))});
    });
  };
  using space = std::filesystem::space_info;
  add({"matchcloud_data_directory_size_bytes", "Size of the data directory's file system."},
      [](const space& of) { return of.capacity; });
  add({"matchcloud_data_directory_used_bytes",
       "Bytes of the data directory's file system that are used or reserved, so that the service "
       "cannot use them."},
      [](const space& of) { return of.capacity - of.available; });
}

std::uint64_t total(const base::counter& one) {
  return one.get();
}
template <class Counters>
std::uint64_t total(const Counters& all) {
  std::uint64_t sum = 0;
  for (const auto& each : all)
    sum += total(each);
  return sum;
}

/// A limit that never changes; 0 means that nothing can be used.
std::function<double()> fixed(std::size_t limit) {
  return [limit] { return static_cast<double>(std::max<std::size_t>(1, limit)); };
}

} // namespace

void node::show_metrics() {
  show_process(metrics_, started_ms_);
  metrics_.add(
      base::metric_type::gauge,
      {"matchcloud_service_state", "1 for the current state of the service, 0 for all others."},
      [state = state_](const base::metric_set::sink& to) {
        const auto now = state->load();
        for (std::size_t i = 0; i < http::service_state_names.size(); ++i)
          to({{"state", http::service_state_names[i]}},
             {static_cast<http::service_state>(i) == now ? 1.0 : 0.0});
      });
  if (config_.store.url.empty()) show_disk(config_.store.data_dir, metrics_);
  for (const auto& each : counts_)
    metrics_.add(each.transport);
  metrics_.add(ops_metrics_);
  http::show_failures(metrics_, http::transport_metrics::answers_text);
  rate_limits_->show(metrics_);
  bounds_.show(metrics_);
  ops_bounds_.show(metrics_);
  for (const auto& part : loops_)
    metrics_.add(part.loop->metrics());
  metrics_.add(base::metric_type::counter,
               {"matchcloud_loop_wait_seconds_total",
                "Time that an event loop of the data plane waited for a processor."},
               [this](const base::metric_set::sink& to) {
                 for (std::size_t i = 0; i < loops_.size(); ++i)
                   to({{"loop", std::to_string(i)}},
                      {static_cast<double>(loops_[i].loop->metrics().waited_ns()) / 1e9});
               });
  metrics_.add(
      base::metric_type::gauge,
      {"matchcloud_build_info", "Always 1; the labels say what the program was built from."},
      [](const base::metric_set::sink& to) {
        const auto& built = base::built();
        to({{"version", built.version}, {"commit", built.commit}, {"build_type", built.build_type}},
           {1});
      });
  children_->show(metrics_);
  if (config_.fault_injection) base::faults::show(metrics_);
  services_.show(metrics_);
  for (const auto& each : counts_)
    metrics_.add(each.ranking);
  if (tls_) {
    for (const auto& each : counts_)
      metrics_.add(each.transport.tls);
    metrics_.add(ops_metrics_.tls);
    metrics_.add(tls_->metrics());
  }
  access_log_->show(metrics_);
}

void node::report() {
  show_metrics();
  http::status_sources sources;
  sources.children = children_.get();
  sources.budget = &bounds_.budget;
  sources.faults = config_.fault_injection;
  for (const auto& part : loops_) {
    sources.loops.push_back(&part.loop->metrics());
    sources.loop_waits.push_back([of = &part.loop->metrics()] { return of->waited_ns(); });
  }
  for (const auto& each : counts_) {
    if (config_.ranking.counts_places) sources.places.push_back(&each.places);
    sources.transports.push_back(&each.transport);
  }
  sources.ops = &ops_metrics_;
  sources.counts = history_counts();
  reports_ = std::make_unique<http::service_reports>(http::reported_service{
      &metrics_,
      std::move(sources),
      bounds(),
      traces_,
      state_,
      {to_string(services_.replica_id()), host_name(), url_of_ops(), started_ms_},
      services_.board(),
      services_.get().clock});
  reports_->show(metrics_);
}

std::vector<http::history_count> node::history_counts() const {
  using metrics = http::transport_metrics;
  const auto of_all = [this](auto which) {
    return [this, which] {
      std::uint64_t sum = 0;
      for (const auto& each : counts_)
        sum += total(each.transport.*which);
      return sum;
    };
  };
  const auto& with = services_.get();
  return {{"actor_restarts", [this] { return children_->restarts(); }},
          {"shed", of_all(&metrics::shed)},
          {"mailbox_full", of_all(&metrics::mailbox_full)},
          {"rate_limited", of_all(&metrics::rate_limited)},
          {"received_bytes", of_all(&metrics::received_bytes)},
          {"sent_bytes", of_all(&metrics::sent_bytes)},
          {"lobbies_ingested", [&with] { return with.ingestion_metrics->accepted.get(); }},
          {"exports_finished", [&with] { return with.export_metrics->finished.get(); }},
          {"exports_failed", [&with] { return with.export_metrics->failed.get(); }}};
}

std::string node::url_of_ops() const {
  return url_of({listening_.ops(), {false, config_.ops_tls}});
}

std::vector<http::bound> node::bounds() const {
  using http::limits;
  using http::when_full;
  constexpr double nearly_full = 0.9;
  constexpr double nearly_full_disk = 0.95;
  constexpr bool is_per_loop = true;
  // A limit that a reload may change.
  const auto limit = [this](std::size_t limits::*which) {
    return [this, which] { return static_cast<double>(this->limits().*which); };
  };
  // A limit that is a metric without labels.
  const auto metric = [this](std::string_view name) {
    return [this, name] {
      double sum = 0;
      for (const auto& each : metrics_.metrics())
        if (each.text.name == name)
          each.read([&](auto, const base::metric_value& value) { sum += value.number; });
      return sum;
    };
  };
  std::vector<http::bound> all{
      {"connections", "matchcloud_connections", limit(&limits::connection_limit)},
      {"ops_connections", "matchcloud_ops_connections", limit(&limits::ops_connection_limit)},
      {"request_bytes", "matchcloud_budget_used_bytes", fixed(bounds_.budget.limit_bytes())},
      {"ops_request_bytes", "matchcloud_ops_budget_used_bytes",
       fixed(ops_bounds_.budget.limit_bytes())},
      {"requests_in_flight",
       "matchcloud_requests_in_flight",
       limit(&limits::in_flight_limit),
       when_full::refuse,
       {},
       nearly_full,
       is_per_loop},
      {"tls_handshakes", "matchcloud_tls_handshakes_in_progress",
       limit(&limits::tls_handshakes_limit), when_full::evict}};
  for (std::size_t i = 1; i < base::owner_count; ++i) // 0 is no owner
    all.push_back({"mailbox_" + std::string{base::owner_names[i]}, "matchcloud_mailbox_requests",
                   [this, i] { return static_cast<double>(this->limits().mailboxes[i]); },
                   when_full::refuse, base::owner_names[i], nearly_full, is_per_loop});
  const std::initializer_list<http::bound> more{
      {"store_sessions", "matchcloud_store_sessions_used",
       metric("matchcloud_store_sessions_limit"), when_full::wait},
      {"bucket_calls", "matchcloud_objects_calls_in_progress",
       metric("matchcloud_objects_calls_limit")},
      {"blocking_jobs", "matchcloud_blocking_jobs_queued",
       fixed(base::thread_pool::default_queue_limit)},
      {"exports_running", "matchcloud_exports_running", fixed(config_.exports.jobs_limit),
       when_full::wait},
      {"exports_queued", "matchcloud_exports_queued", fixed(config_.exports.queue_limit)},
      {"export_files", "matchcloud_export_file_bytes", fixed(config_.exports.files_limit_bytes)},
      {"store_backlog", "matchcloud_store_backlog_bytes", fixed(config_.ingestion.backlog_bytes)},
      {"avatar_cache", "matchcloud_avatar_cached_bytes", fixed(config_.avatars.cache_limit_bytes),
       when_full::evict},
      {"ranking_cache", "matchcloud_ranking_cache_bytes", fixed(config_.ranking.cache_limit_bytes),
       when_full::evict},
      {"latencies", "matchcloud_latency_entries", fixed(config_.latencies.entry_limit),
       when_full::evict},
      {"latency_reports", "matchcloud_latency_reports_waiting",
       fixed(actors::report_gate::waiting_limit)},
      {"unkept_latencies", "matchcloud_latency_unkept_entries",
       fixed(actors::latency_map_state::unkept_limit)},
      {"history", "matchcloud_history_bytes", fixed(http::service_history::limit_bytes),
       when_full::evict},
      {"rate_limit_entries", "matchcloud_rate_limit_entries_used",
       metric("matchcloud_rate_limit_entries"), when_full::share},
      {"descriptors", "process_open_fds", metric("process_max_fds")},
      {"data_directory",
       "matchcloud_data_directory_used_bytes",
       metric("matchcloud_data_directory_size_bytes"),
       when_full::refuse,
       {},
       nearly_full_disk}};
  all.insert(all.end(), more);
  return all;
}

service_health node::health() {
  // How many loops have not run their last task yet: a hanging loop has at most one.
  const auto left = std::make_shared<std::atomic<std::size_t>>(0);
  const auto turns = [this, left] {
    if (left->load() > 0) return false;
    left->store(loops_.size() + 1);
    const auto note = [left] { left->fetch_sub(1); };
    for (const auto& part : loops_)
      part.loop->post(note);
    ops_loop_.loop->post(note);
    return true;
  };
  return {turns, [this] { return describe(); }};
}

std::string node::describe() const {
  std::int64_t connections = 0;
  for (const auto& each : counts_)
    connections += each.transport.connections.get();
  const auto state = state_->load();
  auto text = state == http::service_state::ready ? "serving"
              : state == http::service_state::draining
                  ? "draining"
                  : "not ready (" + std::string{http::name_of(state)} + ")";
  return text + ", " +
         model::counted(static_cast<std::uint64_t>(std::max<std::int64_t>(0, connections)),
                        "connection");
}

} // namespace matchcloud::app
