#include "app/node/ops_services.hpp"

#include "base/faults.hpp"
#include "base/randomness.hpp"
#include "http/ops/actor_report.hpp"
#include "http/wire/response.hpp"
#include "store/open_sqlite.hpp"

#include <string>
#include <utility>

namespace matchcloud::app {

base::expected<std::unique_ptr<ops_services>> ops_services::open(const serve_config& config,
                                                                 http::metric_sources sources) {
  std::unique_ptr<ops_services> made{new ops_services};
  made->children_ = sources.children;
  made->transports_ = sources.transports;
  sources.ingestion = &made->ingestion_metrics_;
  sources.faults = config.fault_injection;
  made->metrics_ = std::make_unique<http::service_metrics>(std::move(sources));
  made->plane_ = std::make_unique<http::ops_plane>(*made->metrics_, base::random_seed());
  auto added = made->add_ingestion(config).and_then([&] { return made->add_catalog(config); });
  if (!added) return tl::unexpected(added.error());
  made->add_actors();
  if (config.fault_injection) made->add_faults(config);
  return made;
}

base::expected<void> ops_services::add_ingestion(const serve_config& config) {
  store::sqlite_settings bulk{.patience = http::ingest_patience, .use = store::workload::bulk};
  bulk.sessions.at_once = 1; // the store runs write transactions one at a time anyway
  auto into = store::open_sqlite(config.data_dir, bulk);
  if (!into) return tl::unexpected(into.error());
  http::ingestion_settings settings;
  settings.backlog_limit_bytes = config.limits.backlog_limit_bytes;
  ingestion_ =
      std::make_unique<http::lobby_ingestion>(*std::move(into), settings, ingestion_metrics_);
  plane_->add_routes([this](httplib::Server& server) { ingestion_->add_routes(server); });
  return {};
}

base::expected<void> ops_services::add_catalog(const serve_config& config) {
  auto of = store::open_sqlite(config.data_dir, {.patience = http::catalog_admin::patience,
                                                 .sessions = http::catalog_admin::sessions});
  if (!of) return tl::unexpected(of.error());
  catalog_admin_ = std::make_unique<http::catalog_admin>(*std::move(of));
  plane_->add_routes([this](httplib::Server& server) { catalog_admin_->add_routes(server); });
  return {};
}

void ops_services::add_actors() {
  plane_->add_routes([this](httplib::Server& server) {
    server.Get("/actors", [this](const httplib::Request&, httplib::Response& into) {
      into.set_content(http::actor_report(*children_, transports_), std::string{http::json_type});
    });
  });
}

void ops_services::add_faults(const serve_config& config) {
  fault_seed_ = config.fault_seed.value_or(base::random_seed());
  base::faults::seed(*fault_seed_);
  fault_admin_ = std::make_unique<http::fault_admin>(*fault_seed_);
  plane_->add_routes([this](httplib::Server& server) { fault_admin_->add_routes(server); });
}

void ops_services::end_faults() {
  if (fault_admin_) fault_admin_->end();
}

} // namespace matchcloud::app
