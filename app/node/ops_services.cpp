#include "app/node/ops_services.hpp"

#include "actors/administration/administration.hpp"
#include "app/node/thread_counts.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/faults.hpp"
#include "base/randomness.hpp"
#include "http/ops/actor_report.hpp"
#include "http/ops/render_metrics.hpp"
#include "store/engines/store_place.hpp"

#include <chrono>
#include <utility>

namespace matchcloud::app {

namespace {

constexpr int ops_nice = 0;
/// Surveys of lobbies read much data, like exports, and are not urgent.
constexpr int surveying_nice = 19;
constexpr std::size_t surveys_limit = 16;
constexpr std::string_view weaker_cause = "protection_weaker";

} // namespace

ops_services::ops_services(const serve_config& config, actors::services& with)
    : surveying_{thread_counts::surveying, surveying_nice, surveys_limit},
      ingesting_{config.store.url.empty() ? thread_counts::ingesting
                                          : thread_counts::server_ingesting,
                 ops_nice},
      administering_{thread_counts::administering, ops_nice} {
  auto bulk = administered_ = with.database;
  if (config.store.url.empty()) {
    store::store_settings of_bulk{.patience = actors::ingest_patience,
                                  .use = store::workload::bulk};
    of_bulk.sessions.at_once = 1; // the store runs write transactions one at a time anyway
    bulk = base::value_of(store::open_store(config.store, of_bulk));
    // Requests are few, so no session is kept and none waits for another's.
    administered_ = base::value_of(
        store::open_store(config.store, {.patience = actors::administration::patience,
                                         .sessions = {thread_counts::administering, 0, {}}}));
    administered_->stand_behind(with.fence);
  }
  ingest_store_ = std::make_shared<actors::ingest_store>(
      std::move(bulk), config.ingestion.backlog_bytes, ingestion_metrics_);
  ingest_store_->stand_behind(with.fence);
  with.administered = administered_;
  with.ingest_store = ingest_store_;
  with.ingestion_metrics = &ingestion_metrics_;
  with.surveying = &surveying_;
  with.ingesting = &ingesting_;
  with.administering = &administering_;
  if (!config.fault_injection) return;
  fault_seed_ = config.fault_seed.value_or(base::random_seed());
  base::faults::seed(*fault_seed_);
  with.faults = faults_;
}

void ops_services::report_from(reported from) {
  from_ = std::move(from);
  history_ = std::make_unique<http::service_history>(from_.sources);
  attention_ = std::make_unique<http::attention>(*from_.metrics, *history_, *from_.bounds);
  replicas_ = std::make_unique<http::replica_report>(
      from_.self, *history_, *attention_, [state = from_.state] { return name_of(state->load()); });
  status_ = std::make_unique<http::status_meter>(from_.sources);
  places_ = std::make_unique<http::place_report>(from_.sources.places);
  from_.board->tell_with([this] { return replicas_->summary(); });
}

std::vector<http::told_summary> ops_services::heard() const {
  std::vector<http::told_summary> all;
  for (const auto& each : from_.board->heard())
    all.push_back({to_string(each.replica_id),
                   std::chrono::milliseconds{from_.clock->unix_ms() - each.told_ts}, each.summary});
  return all;
}

void ops_services::show_weaker(std::vector<std::string> protections) {
  const std::lock_guard lock{weaker_mutex_};
  weaker_ = std::move(protections);
  weaker_since_ms_ = base::machine_clock().unix_ms();
}

void ops_services::find_weaker(std::vector<http::attention_finding>& to) const {
  const std::lock_guard lock{weaker_mutex_};
  for (const auto& each : weaker_)
    to.push_back({actors::attention_severity::warning,
                  std::string{weaker_cause},
                  "Since the last start a protection is weaker: " + each + ".",
                  "/v1/config",
                  {},
                  {},
                  {{{{"protection", each}}}},
                  weaker_since_ms_});
}

std::string ops_services::attention() const {
  auto found = attention_->find(is_ready());
  find_weaker(found);
  auto looked_for = attention_->looked_for();
  looked_for.push_back(weaker_cause);
  return http::render_attention(std::move(found), looked_for);
}

actors::report_sources ops_services::reports() const {
  return {[this] { return http::render_metrics(*from_.metrics); },
          [this] { return actor_report(from_.sources); },
          [this] { return status_->report(is_ready(), history_->latest()); },
          [this] {
            history_->sample();
            attention_->sample(is_ready());
            from_.traces->age();
          },
          [this] { return places_->report(); },
          [this](const actors::trace_query& wanted) { return from_.traces->report(wanted); },
          [this](const actors::past_query& wanted) { return history_->report(wanted); },
          [this] { return attention(); },
          [this] { return replicas_->report(heard()); }};
}

void ops_services::end() {
  if (from_.board) from_.board->end();
  ingesting_.end();
  administering_.end();
  auto& tally = *ingest_store_->tally();
  if (const auto written = write_sums(*administered_, tally.take_all(), tally); !written)
    base::log(base::log_event::audit_failed,
              "sums of ingests could not be written to the audit log: {}",
              base::to_string(written.error()));
  surveying_.end();
}

} // namespace matchcloud::app
