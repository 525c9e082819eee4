#include "app/node/ops_services.hpp"

#include "actors/administration.hpp"
#include "base/faults.hpp"
#include "base/randomness.hpp"
#include "http/ops/actor_report.hpp"
#include "http/ops/status_report.hpp"
#include "store/open_sqlite.hpp"

#include <utility>

namespace matchcloud::app {

namespace {

/// The store takes one transaction at a time, and parsing lines is a tenth of the work.
constexpr std::size_t ingesting_threads = 1;
constexpr std::size_t administering_threads = 2;
constexpr int ops_nice = 0;

} // namespace

base::expected<std::unique_ptr<ops_services>> ops_services::open(const serve_config& config) {
  std::unique_ptr<ops_services> made{new ops_services};
  auto opened =
      made->open_ingestion(config).and_then([&] { return made->open_administration(config); });
  if (!opened) return tl::unexpected(opened.error());
  if (config.fault_injection) made->open_faults(config);
  return made;
}

base::expected<void> ops_services::open_ingestion(const serve_config& config) {
  store::sqlite_settings bulk{.patience = actors::ingest_patience, .use = store::workload::bulk};
  bulk.sessions.at_once = 1; // the store runs write transactions one at a time anyway
  auto into = store::open_sqlite(config.data_dir, bulk);
  if (!into) return tl::unexpected(into.error());
  ingest_store_ = std::make_shared<actors::ingest_store>(
      *std::move(into), config.limits.backlog_limit_bytes, ingestion_metrics_);
  ingesting_ = std::make_unique<base::thread_pool>(ingesting_threads, ops_nice);
  return {};
}

base::expected<void> ops_services::open_administration(const serve_config& config) {
  // Requests are few, so no session is kept and none waits for another's.
  auto of = store::open_sqlite(config.data_dir, {.patience = actors::administration::patience,
                                                 .sessions = {administering_threads, 0, {}}});
  if (!of) return tl::unexpected(of.error());
  administered_ = *std::move(of);
  administering_ = std::make_unique<base::thread_pool>(administering_threads, ops_nice);
  return {};
}

void ops_services::open_faults(const serve_config& config) {
  fault_seed_ = config.fault_seed.value_or(base::random_seed());
  base::faults::seed(*fault_seed_);
}

void ops_services::report_from(http::metric_sources sources) {
  sources.ingestion = &ingestion_metrics_;
  sources.faults = fault_seed_.has_value();
  metrics_ = std::make_unique<http::service_metrics>(std::move(sources));
}

actors::report_sources ops_services::reports() const {
  return {[this] { return render_metrics(*metrics_); },
          [this] { return actor_report(metrics_->sources()); },
          [this] { return status_report(metrics_->sources(), *is_ready_); }};
}

void ops_services::end() {
  ingesting_.reset();
  administering_.reset();
}

} // namespace matchcloud::app
