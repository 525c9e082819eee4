#include "app/node/exposure.hpp"
#include "app/node/node.hpp"
#include "app/process/host_name.hpp"
#include "app/process/process_figures.hpp"
#include "base/build_info.hpp"
#include "base/faults.hpp"
#include "http/reference/reference.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

// What the node shows about itself: metrics, bounds, and the sources of reports.
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

/// A limit that never changes; 0 means that nothing can be used.
std::function<double()> fixed(std::size_t limit) {
  return [limit] { return static_cast<double>(std::max<std::size_t>(1, limit)); };
}

/// The value of a metric without labels; 0 if there is none.
double value_of(std::string_view name, const base::metric_set& in) {
  double sum = 0;
  for (const auto& metric : in.metrics())
    if (metric.text.name == name)
      metric.read([&](auto, const base::metric_value& value) { sum += value.number; });
  return sum;
}

} // namespace

void node::show_metrics() {
  if (process_metrics_ != nullptr) metrics_.add(*process_metrics_);
  show_process(metrics_);
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
  for (const auto& each : transport_metrics_)
    metrics_.add(each);
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
  if (fault_seed()) base::faults::show(metrics_);
  services_.show(metrics_);
  for (const auto& each : ranking_metrics_)
    metrics_.add(each);
  if (tls_) {
    for (const auto& each : transport_metrics_)
      metrics_.add(each.tls);
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
  sources.faults = fault_seed().has_value();
  for (const auto& part : loops_) {
    sources.loops.push_back(&part.loop->metrics());
    sources.loop_waits.push_back([of = &part.loop->metrics()] { return of->waited_ns(); });
  }
  for (const auto& counted : places_)
    sources.places.push_back(&counted);
  for (const auto& counted : transport_metrics_)
    sources.transports.push_back(&counted);
  sources.ops = &ops_metrics_;
  sources.counts = history_counts();
  bound_use_ = std::make_unique<http::bound_use>(metrics_, bounds());
  services_.ops().report_from(
      {&metrics_,
       std::move(sources),
       front_->traces,
       state_,
       bound_use_.get(),
       {to_string(services_.replica_id()), host_name(), url_of_ops(), started_ms_},
       services_.board(),
       &services_.clock()});
  bound_use_->show(metrics_);
  metrics_.add_gauge(
      {"matchcloud_history_bytes", "Memory of the history that /v1/history returns."},
      [this] { return static_cast<double>(services_.ops().history_bytes()); });
}

std::vector<http::history_count> node::history_counts() {
  const auto of_all = [this](auto sum_of) {
    return [this, sum_of] {
      std::uint64_t sum = 0;
      for (const auto& each : transport_metrics_)
        sum += sum_of(each);
      return sum;
    };
  };
  const auto sum = [](const auto& counters) {
    std::uint64_t all = 0;
    for (const auto& each : counters)
      all += each.get();
    return all;
  };
  using metrics = http::transport_metrics;
  return {
      {"actor_restarts", [this] { return children_->restarts(); }},
      {"shed", of_all([sum](const metrics& of) { return sum(of.shed); })},
      {"mailbox_full", of_all([sum](const metrics& of) { return sum(of.mailbox_full); })},
      {"rate_limited", of_all([sum](const metrics& of) {
         std::uint64_t all = 0;
         for (const auto& each : of.rate_limited)
           all += sum(each);
         return all;
       })},
      {"received_bytes", of_all([](const metrics& of) { return of.received_bytes.get(); })},
      {"sent_bytes", of_all([](const metrics& of) { return of.sent_bytes.get(); })},
      {"lobbies_ingested", [this] { return services_.get().ingestion_metrics->accepted.get(); }},
      {"exports_finished", [this] { return services_.get().export_metrics->finished.get(); }},
      {"exports_failed", [this] { return services_.get().export_metrics->failed.get(); }}};
}

std::string node::url_of_ops() const {
  return url_of({listening_.ops(), {false, config_.ops_tls}});
}

std::vector<http::bound> node::bounds() {
  auto all = bounds_of_clients();
  const auto append = [&all](std::vector<http::bound> more) {
    std::ranges::move(more, std::back_inserter(all));
  };
  append(bounds_of_work());
  append(bounds_of_memory());
  return all;
}

std::function<double()> node::reloaded(std::function<double(const http::limits&)> of) const {
  return [this, of = std::move(of)] { return of(limits_.get()); };
}

std::function<double()> node::read_from(std::string_view metric) const {
  return [this, metric] { return value_of(metric, metrics_); };
}

std::vector<http::bound> node::bounds_of_clients() const {
  constexpr auto refuse = http::when_full::refuse;
  constexpr double nearly_full = 0.9;
  constexpr bool is_per_loop = true;
  const auto limit = [this](std::size_t http::limits::*which) {
    return reloaded([which](const http::limits& of) { return static_cast<double>(of.*which); });
  };
  using http::limits;
  std::vector<http::bound> all{
      {"connections", "matchcloud_connections", {}, limit(&limits::connection_limit)},
      {"ops_connections", "matchcloud_ops_connections", {}, limit(&limits::ops_connection_limit)},
      {"request_bytes", "matchcloud_budget_used_bytes", {}, fixed(bounds_.budget.limit_bytes())},
      {"ops_request_bytes",
       "matchcloud_ops_budget_used_bytes",
       {},
       fixed(ops_bounds_.budget.limit_bytes())},
      {"requests_in_flight",
       "matchcloud_requests_in_flight",
       {},
       limit(&limits::in_flight_limit),
       refuse,
       nearly_full,
       is_per_loop},
      {"tls_handshakes",
       "matchcloud_tls_handshakes_in_progress",
       {},
       limit(&limits::tls_handshakes_limit),
       http::when_full::evict}};
  for (std::size_t i = 1; i < base::owner_count; ++i) // 0 is no owner
    all.push_back({"mailbox_" + std::string{base::owner_names[i]}, "matchcloud_mailbox_requests",
                   base::owner_names[i], reloaded([i](const http::limits& of) {
                     return static_cast<double>(of.mailboxes[i]);
                   }),
                   refuse, nearly_full, is_per_loop});
  return all;
}

std::vector<http::bound> node::bounds_of_work() const {
  using http::when_full;
  return {{"store_sessions",
           "matchcloud_store_sessions_used",
           {},
           read_from("matchcloud_store_sessions_limit"),
           when_full::wait},
          {"bucket_calls",
           "matchcloud_objects_calls_in_progress",
           {},
           read_from("matchcloud_objects_calls_limit")},
          {"blocking_jobs",
           "matchcloud_blocking_jobs_queued",
           {},
           fixed(base::thread_pool::default_queue_limit)},
          {"exports_running",
           "matchcloud_exports_running",
           {},
           fixed(config_.exports.jobs_limit),
           when_full::wait},
          {"exports_queued", "matchcloud_exports_queued", {}, fixed(config_.exports.queue_limit)},
          {"export_files",
           "matchcloud_export_file_bytes",
           {},
           fixed(config_.exports.files_limit_bytes)},
          {"store_backlog",
           "matchcloud_store_backlog_bytes",
           {},
           fixed(config_.ingestion.backlog_bytes)}};
}

std::vector<http::bound> node::bounds_of_memory() const {
  using http::when_full;
  constexpr double nearly_full_disk = 0.95;
  return {{"avatar_cache",
           "matchcloud_avatar_cached_bytes",
           {},
           fixed(config_.avatars.cache_limit_bytes),
           when_full::evict},
          {"ranking_cache",
           "matchcloud_ranking_cache_bytes",
           {},
           fixed(config_.ranking.cache_limit_bytes),
           when_full::evict},
          {"latencies",
           "matchcloud_latency_entries",
           {},
           fixed(config_.latencies.entry_limit),
           when_full::evict},
          {"latency_reports",
           "matchcloud_latency_reports_waiting",
           {},
           fixed(actors::report_gate::waiting_limit)},
          {"unkept_latencies",
           "matchcloud_latency_unkept_entries",
           {},
           fixed(actors::latency_map_state::unkept_limit)},
          {"history",
           "matchcloud_history_bytes",
           {},
           fixed(http::service_history::limit_bytes),
           when_full::evict},
          {"rate_limit_entries",
           "matchcloud_rate_limit_entries_used",
           {},
           read_from("matchcloud_rate_limit_entries"),
           when_full::share},
          {"descriptors", "process_open_fds", {}, read_from("process_max_fds")},
          {"data_directory",
           "matchcloud_data_directory_used_bytes",
           {},
           read_from("matchcloud_data_directory_size_bytes"),
           when_full::refuse,
           nearly_full_disk}};
}

} // namespace matchcloud::app
