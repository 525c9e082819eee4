// Wires the node with `app::child_specs_of`, with simulated parts in place of the real ones.

#include "app/node/child_specs.hpp"
#include "tests/simulation/world.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace matchcloud::simulation {

actors::supervisor_settings world::supervisor_settings() {
  actors::supervisor_settings settings;
  settings.children = children;
  settings.clock = &clock;
  settings.seed = static_cast<std::uint32_t>(seed);
  return settings;
}

void world::start_supervisor() {
  if (ending_) return;
  supervisor_ = actors_.system.spawn<actors::supervisor>(supervisor_settings());
  supervisor_->attach_functor([this](const caf::error&) { start_supervisor(); });
}

void world::make_services() {
  services_.clock = &clock;
  services_.short_work = &short_work;
  services_.store_work = &short_work;
  services_.long_work = services_.tidy_work = &long_work;
  services_.ingesting = services_.administering = services_.surveying = &ingest_work;
  services_.database = services_.administered = disk.store();
  services_.exports = exports_;
  services_.signing_keys = on_disk->keys();
  services_.images = services_.ops_images = media_;
  services_.geoip_files = geoip_files_;
  services_.export_state = std::make_shared<actors::lobby_export_state>();
  services_.new_id = [ids = std::make_shared<chance>(seed)] {
    std::array<std::uint8_t, 16> bytes{};
    for (auto& byte : bytes)
      byte = static_cast<std::uint8_t>(ids->next());
    return model::random_uuid(bytes);
  };
  services_.latencies = latencies;
  services_.latency_gate = latency_gate_;
  actors::avatar_settings lists{config.avatars};
  lists.database = disk.store();
  lists.pool = &short_work;
  lists.budget = &bounds->budget;
  lists.metrics = &avatar_metrics;
  lists.image_url = model::image_urls_below(std::string{public_url});
  services_.avatar_lists = std::make_shared<actors::avatar_lists>(std::move(lists));
  services_.ingest_store = std::make_shared<actors::ingest_store>(
      disk.store(), config.ingestion.backlog_bytes, ingestion_metrics);
  services_.export_metrics = &export_metrics;
  services_.geoip_metrics = &geoip_metrics_;
  services_.ingestion_metrics = &ingestion_metrics;
}

std::shared_ptr<const app::node_layout> world::layout() {
  make_services();
  auto made = std::make_shared<app::node_layout>();
  made->system = &actors_.system;
  made->config = config;
  made->services = &services_;
  made->public_url = public_url;
  made->images_kept_limit = config.media.open_files;
  const auto served = [this](std::size_t number, const auto& settings) {
    return app::served_loop{loops_[number].get(), &transports[number]->exchanges(),
                            std::make_shared<http::access_gate>(settings)};
  };
  for (std::size_t i = 0; i < loop_count; ++i) {
    made->loops.push_back(served(i, settings_));
    made->loops.back().ranking_metrics = &ranking_metrics_[i];
  }
  made->ops = served(ops_loop, ops_settings_);
  made->administration = {disk.store(), &ingest_work};
  const auto nothing = [] { return std::string{"{}"}; };
  made->reports = {nothing, nothing, nothing};
  return made;
}

void world::choose_latencies() {
  config.ranking.rank_by =
      random.one_in(3) ? actors::ranking_order::latency : actors::ranking_order::distance;
  auto& learning = config.latencies;
  learning.learns_from_listings = random.one_in(2);
  learning.report_interval = report_interval;
  learning.entry_limit = 8'192;
  // Replicas that share a store look at it more often.
  config.store.url = "postgresql://simulated";
  latencies = std::make_shared<actors::latency_map_state>(learning, latency_metrics, true);
  latency_gate_ = std::make_shared<actors::report_gate>(
      learning.report_interval, limits.ipv6_client_prefix, clock, base::siphash_key{3, 4});
}

std::shared_ptr<const http::front_settings> world::data_settings() const {
  auto made = std::make_shared<http::front_settings>();
  if (config.latencies.learns_from_listings) made->latency_gate = latency_gate_;
  return made;
}

std::shared_ptr<const http::front_settings> world::ops_settings() {
  auto made = std::make_shared<http::front_settings>();
  made->plane = http::plane::ops;
  made->state =
      std::make_shared<const std::atomic<http::service_state>>(http::service_state::ready);
  return made;
}

std::vector<actors::child_spec> world::child_specs() {
  auto all = app::child_specs_of(layout());
  latest_.resize(all.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    auto& spec = all[index];
    names_.push_back(spec.name);
    spec.start = [this, index, start = std::move(spec.start)](const actors::initial_state& now) {
      auto who = start(now);
      latest_[index] = who.address();
      return who;
    };
  }
  return all;
}

} // namespace matchcloud::simulation
