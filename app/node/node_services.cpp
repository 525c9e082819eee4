#include "app/node/node_services.hpp"

#include "actors/administration/administration.hpp"
#include "actors/fault_control/fault_control.hpp"
#include "app/node/exposure.hpp"
#include "app/node/resources.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/randomness.hpp"
#include "store/engines/store_place.hpp"
#include "store/exports/export_objects.hpp"
#include "store/exports/former_exports.hpp"
#include "store/files/data_directory.hpp"
#include "store/geoip/geoip_files.hpp"
#include "store/media/images.hpp"
#include "store/secrets/secret_store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace matchcloud::app {

namespace {

/// How long the start waits for learned latencies.
constexpr std::chrono::milliseconds latency_patience{5'000};
/// How long a batch of housekeeping waits for other writers of the embedded store.
constexpr std::chrono::seconds housekeeping_patience{10};
constexpr int blocking_nice = 5;
/// Exports have the lowest priority, and so have surveys of lobbies, which read much data, too.
constexpr int exporting_nice = 19;
constexpr std::size_t surveys_limit = 16;
/// For the ops plane, and for housekeeping, which is idle most of the time: if it waited for a
/// processor while it writes, all writers would wait.
constexpr int usual_nice = 0;

/// The URLs of images for clients that read them from the bucket, at `base`.
model::image_url_maker image_urls_in_bucket(std::string base) {
  return [base = std::move(base)](const model::uuid& upload_id, const model::image_name& image) {
    return base + "/" + store::object_of(store::image_key{upload_id, image}).text();
  };
}

/// A random UUID (version 4).
model::uuid new_id() {
  std::array<std::uint8_t, 16> random{};
  base::fill_random(random);
  return model::random_uuid(random);
}

} // namespace

node_services::node_services(const serve_config& config, http::shared_bounds& data,
                             http::shared_bounds& ops, readiness& ready)
    : config_{&config},
      data_bounds_{&data},
      ops_bounds_{&ops},
      ready_{&ready},
      last_protections_{protections_of(config.given)},
      replica_id_{new_id()},
      housekeeping_{thread_counts::housekeeping, usual_nice},
      blocking_{config.store.has_bucket() ? thread_counts::bucket : thread_counts::blocking,
                blocking_nice},
      exporting_{config.exports.jobs_limit + thread_counts::export_housekeeping, exporting_nice},
      store_work_{is_embedded()
                      ? nullptr
                      : std::make_unique<base::thread_pool>(thread_counts::store, blocking_nice)},
      surveying_{thread_counts::surveying, exporting_nice, surveys_limit},
      ingesting_{is_embedded() ? thread_counts::ingesting : thread_counts::server_ingesting,
                 usual_nice},
      administering_{thread_counts::administering, usual_nice} {
  with_.clock = &clock_;
  with_.short_work = &blocking_;
  with_.store_work = store_work_ ? store_work_.get() : &blocking_;
  with_.long_work = with_.tidy_work = &exporting_;
  with_.surveying = &surveying_;
  with_.ingesting = &ingesting_;
  with_.administering = &administering_;
  with_.contact = std::make_shared<store::store_contact>();
  with_.fence =
      std::make_shared<store::store_fence>([this](const base::error& why) { on_fenced(why); });
  with_.export_state = std::make_shared<actors::lobby_export_state>();
  with_.latency_gate = std::make_shared<actors::report_gate>(config.latencies.report_interval,
                                                             config.limits.ipv6_client_prefix);
  if (config.fault_injection) with_.faults = std::make_shared<actors::fault_switch>();
  with_.export_metrics = &export_metrics_;
  with_.geoip_metrics = &geoip_metrics_;
  with_.ingestion_metrics = &ingestion_metrics_;
  with_.new_id = new_id;
}

void node_services::open() {
  open_database();
  check_last_protections();
  open_objects();
  open_beside_requests();
  load_first();
  open_geoip();
}

void node_services::open_database() {
  base::value_of(store::refuse_secrets_of_others(config_->store));
  store::store_settings settings{.patience = actors::administration::patience,
                                 .sessions = config_->store_sessions};
  if (is_embedded()) {
    settings = {};
    // One for each task that may need one and one for the catalog's feed, so that none waits.
    settings.sessions.at_once =
        thread_counts::blocking + 2 * config_->exports.jobs_limit + thread_counts::surveying + 1;
  }
  with_.database = base::value_of(store::open_store(config_->store, settings));
  with_.database->stand_behind(with_.fence);
  if (is_embedded()) {
    database_file_.emplace(config_->store.data_dir);
  } else {
    replicas_ = std::make_unique<store::replica_lease>(with_.database, replica_id_, replica_count_,
                                                       board_, clock_);
    base::value_of(replicas_->renew());
  }
  with_.signing_keys =
      base::value_of(store::secret_ring::open(base::value_of(store::open_secrets(config_->store))));
}

void node_services::check_last_protections() {
  if (!has_fixed_port(*config_)) return;
  const auto last = find_last_protections(*with_.database);
  if (!last) return;
  last_protections_ = last->given;
  base::value_of(check_against(*last, protections_of(config_->given)));
}

std::vector<std::string> node_services::weaker_protections() const {
  return app::weaker_protections(last_protections_, protections_of(config_->given));
}

void node_services::record_protections(model::audit_action action) {
  if (!has_fixed_port(*config_)) return;
  const auto given = protections_of(config_->given);
  if (const auto written = app::record_protections(*with_.database, action, given); !written)
    base::log(base::log_event::audit_failed, "{} could not be written to the audit log: {}",
              name_of(action), base::to_string(written.error()));
}

std::shared_ptr<store::database>
node_services::open_beside(const store::store_settings& settings) const {
  if (!is_embedded()) return with_.database;
  auto made = base::value_of(store::open_store(config_->store, settings));
  made->stand_behind(with_.fence);
  return made;
}

void node_services::open_beside_requests() {
  store::store_settings of_bulk{.patience = actors::ingest_patience, .use = store::workload::bulk};
  of_bulk.sessions.at_once = 1; // the store runs write transactions one at a time anyway
  with_.ingest_store = std::make_shared<actors::ingest_store>(
      open_beside(of_bulk), config_->ingestion.backlog_bytes, ingestion_metrics_);
  // Requests are few, so no session is kept and none waits for another's.
  with_.administered = open_beside({.patience = actors::administration::patience,
                                    .sessions = {thread_counts::administering, 0, {}}});
  store::housekeeper_settings keeping;
  keeping.in = open_beside({.patience = housekeeping_patience, .sessions = {1, 1, {}}});
  keeping.objects = objects_;
  keeping.exports = with_.exports.get();
  keeping.owner = replica_id_;
  keeping.clock = &clock_;
  keeping.kept = config_->retention;
  housekeeper_ = std::make_unique<store::housekeeper>(std::move(keeping));
}

void node_services::open_objects() {
  if (config_->store.url.empty())
    for (const auto& hazard : store::hazards_of(config_->store.data_dir))
      base::log(base::log_event::store_hazard, "{}", hazard);
  objects_ = base::value_of(store::open_objects(config_->store));
  if (!config_->store.has_bucket()) {
    // A disk that cannot be written to is noticed now.
    const auto aside = store::temporary_folder::make(config_->store.data_dir);
    store::adopt_former_exports(config_->store.data_dir, *with_.database, clock_.unix_ms());
  }
  const auto descriptors = raise_descriptor_limit();
  const auto images_by = [&](store::objects_delivery delivery, base::byte_budget& budget) {
    return std::make_shared<store::referred_images>(
        std::make_shared<store::stored_images>(objects_, delivery, budget,
                                               media_descriptors(descriptors)),
        with_.database, config_->retention.replaced_images);
  };
  with_.images = images_by(config_->store.delivery, data_bounds_->budget);
  with_.ops_images = objects_->is_local()
                         ? with_.images
                         : images_by(store::objects_delivery::through, ops_bounds_->budget);
  store::export_objects_settings exports;
  exports.objects = objects_;
  exports.records = with_.database;
  exports.owner = replica_id_;
  exports.delivery = config_->store.delivery;
  exports.budget = &data_bounds_->budget;
  exports.clock = &clock_;
  exports.limit_bytes = config_->exports.files_limit_bytes;
  exports.game_share_percent = config_->exports.game_share_percent;
  exports.timeout = config_->limits.export_timeout;
  exports.open_limit = open_exports(descriptors);
  with_.exports = std::make_shared<store::export_objects>(std::move(exports));
}

void node_services::load_first() {
  first_.catalog = std::make_shared<const model::catalog>(
      base::value_of(base::value_of(with_.database->catalog())->load()));
  first_.tokens = base::value_of(base::value_of(with_.database->access())->load_tokens());
  const auto& preset = config_->ranking.default_namespace;
  if (preset && !first_.catalog->find_namespace(*preset))
    base::log(base::log_event::catalog_no_default,
              "default-namespace {} is not in the catalog; until it is, listings without a "
              "namespace show all regions",
              model::to_string(*preset));
  with_.latencies =
      std::make_shared<actors::latency_map_state>(config_->latencies, latency_metrics_, true);
  with_.latencies->set_catalog(first_.catalog);
  if (const auto read =
          actors::read_latencies(*with_.database, *with_.latencies, clock_, latency_patience);
      !read)
    base::log(base::log_event::latencies_failed, "latencies: {}; they are read later",
              base::to_string(read.error()));
  first_.latencies = with_.latencies->publish(clock_.unix_ms());
}

void node_services::open_geoip() {
  if (config_->geoip_files.empty())
    base::log(base::log_event::geoip_missing,
              "no GeoIP file: players cannot be located, so all of them get the same order of "
              "regions; pass --geoip FILE");
  if (config_->geoip_files.empty() && config_->geoip_asn_file.empty()) return;
  with_.geoip_files =
      base::value_of(store::geoip_files::open(config_->geoip_files, config_->geoip_asn_file));
  first_.geoip = with_.geoip_files->in_force();
  geoip_metrics_.last_taken_s.set(base::machine_clock().unix_ms() / 1'000);
}

std::shared_ptr<node_layout> node_services::layout(const std::string& public_url,
                                                   std::size_t loops) {
  const auto& config = *config_;
  const auto& in_bucket = config.store.images_url;
  actors::avatar_settings lists{config.avatars};
  lists.database = with_.database;
  lists.pool = with_.store_work;
  lists.budget = &data_bounds_->budget;
  lists.metrics = &avatar_metrics_;
  lists.image_url =
      in_bucket.empty() ? model::image_urls_below(public_url) : image_urls_in_bucket(in_bucket);
  with_.avatar_lists = std::make_shared<actors::avatar_lists>(std::move(lists));
  auto made = std::make_shared<node_layout>();
  made->config = config;
  made->services = &with_;
  made->public_url = public_url;
  if (database_file_) made->look_at_store = [this] { note_lost(database_file_->why_lost()); };
  // The loops keep images in at most half of the descriptors for files, or in an eighth of the
  // bytes for what is in memory; the rest is for other downloads.
  made->images_kept_limit =
      config.store.has_bucket()
          ? config.limits.byte_budget_bytes / 8 / loops
          : std::clamp<std::size_t>(media_descriptors(raise_descriptor_limit()) / 2 / loops, 1,
                                    config.media.open_files);
  made->administration = {with_.administered,
                          with_.administering,
                          &clock_,
                          objects_,
                          [this] {
                            with_.images->forget();
                            with_.ops_images->forget();
                            with_.avatar_lists->forget({.revision = 0, .games = {}, .all = true});
                          },
                          config.retention.history};
  made->repeated.push_back({"housekeeping", {[this] { keep_house(); }, &housekeeping_}});
  if (replicas_)
    made->repeated.push_back(
        {"replica_watch", {[this] { static_cast<void>(replicas_->renew()); }, with_.store_work}});
  return made;
}

void node_services::keep_house() {
  if (with_.fence->why()) return;
  const auto done = housekeeper_->run();
  if (!std::exchange(housekeeping_fails_, !done) && !done)
    base::log(base::log_event::housekeeping_failed, "housekeeping: {}",
              base::to_string(done.error()));
}

void node_services::note_lost(std::optional<std::string> why) {
  const std::lock_guard lock{told_lost_mutex_};
  if (std::exchange(told_lost_, why) == why) return;
  if (why)
    base::log(base::log_event::store_lost, "not ready: the database {}: {}", database_file_->path(),
              *why);
  else
    base::log(base::log_event::store_found, "the database {} is back", database_file_->path());
  ready_->set_lost(why.has_value());
}

void node_services::on_fenced(const base::error& why) {
  base::log(base::log_event::store_fenced,
            "this program may no longer use its store: {}; it is not ready, and reads and writes "
            "nothing there until a newer program takes over",
            base::to_string(why));
  ready_->set_fenced();
}

void node_services::show(base::metric_set& in) const {
  in.add(avatar_metrics_);
  with_.images->show(in);
  in.add_gauge({"matchcloud_blocking_jobs_queued", "Jobs waiting for a blocking thread."},
               [this] { return blocking_.queued(); });
  with_.contact->show(in);
  with_.database->show(in);
  replica_count_->show(in);
  in.add(latency_metrics_);
  with_.latency_gate->show(in);
  in.add(export_metrics_);
  with_.exports->show(in);
  housekeeper_->show(in);
  if (config_->store.has_bucket()) objects_->show(in);
  if (with_.geoip_files) {
    with_.geoip_files->show(in);
    in.add(geoip_metrics_);
  }
  in.add(ingestion_metrics_);
}

void node_services::end() {
  with_.export_state->reports()->close(); // The threads joined next write exports.
  if (config_->store.has_bucket() && objects_) objects_->stop();
  if (housekeeper_) housekeeper_->stop();
  // All threads end before anything that a task may use: a task of one pool waits for the store
  // while the others have ended.
  for (auto* each : {&housekeeping_, &blocking_, &exporting_, store_work_.get(), &ingesting_,
                     &administering_, &surveying_})
    if (each != nullptr) each->end();
  if (with_.administered) {
    auto& tally = *with_.ingest_store->tally();
    if (const auto written = write_sums(*with_.administered, tally.take_all(), tally); !written)
      base::log(base::log_event::audit_failed,
                "sums of ingests could not be written to the audit log: {}",
                base::to_string(written.error()));
  }
  // Loads that no thread began hold actors, which end before their system.
  with_.avatar_lists.reset();
}

} // namespace matchcloud::app
