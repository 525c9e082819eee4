// How the node is wired: as `app::node` does it, with what is simulated in the place of the rest.

#include "actors/catalog.hpp"
#include "actors/validator.hpp"
#include "tests/simulation/world.hpp"

#include <utility>

namespace matchcloud::simulation {

namespace {

using actors::owner;
using actors::place;
using actors::standing;

} // namespace

actors::supervisor_settings world::supervisor_settings() {
  actors::supervisor_settings settings;
  settings.places = roster;
  settings.clock = &clock;
  settings.seed = static_cast<std::uint32_t>(seed);
  return settings;
}

void world::start_supervisor() {
  if (ending_) return;
  supervisor_ = actors_.system.spawn<actors::supervisor>(supervisor_settings());
  supervisor_->attach_functor([this](const caf::error&) { start_supervisor(); });
}

actors::avatar_settings world::avatar_settings() {
  actors::avatar_settings settings;
  settings.open_store = disk.opener(clock);
  settings.pool = &short_work;
  settings.budget = &bounds->budget;
  settings.metrics = &avatar_metrics;
  settings.public_url = public_url;
  settings.cache_limit_bytes = limits.avatar_cache_bytes / actors::avatar_shard_count;
  settings.list_limit_bytes = limits.avatar_list_limit_bytes;
  return settings;
}

actors::lobby_export_settings world::export_settings() {
  actors::lobby_export_settings settings;
  settings.book = book_;
  settings.job.open_store = disk.opener(clock);
  settings.job.files = export_files_.get();
  settings.job.clock = &clock;
  settings.job.metrics = &export_metrics;
  settings.job.new_id = [ids = std::make_shared<chance>(seed)] {
    std::array<std::uint8_t, 16> bytes{};
    for (auto& byte : bytes)
      byte = static_cast<std::uint8_t>(ids->next());
    return model::random_uuid(bytes);
  };
  settings.job.timeout = limits.export_timeout;
  settings.job.url_lifetime = limits.export_url_lifetime;
  settings.keys = &on_disk->keys();
  settings.short_work = &short_work;
  settings.long_work = &long_work;
  settings.tidy_work = &long_work;
  settings.public_url = public_url;
  settings.jobs_limit = limits.export_jobs;
  settings.queue_limit = limits.export_queue;
  return settings;
}

actors::export_download_settings world::download_settings() {
  actors::export_download_settings settings;
  settings.files = export_files_.get();
  settings.keys = &on_disk->keys();
  settings.short_work = &short_work;
  settings.long_work = &long_work;
  settings.clock = &clock;
  settings.metrics = &export_metrics;
  return settings;
}

void world::add(std::vector<place>& all, place made) {
  const auto index = latest_.size();
  latest_.emplace_back();
  names_.push_back(made.name);
  made.make = [this, index, make = std::move(made.make)](const standing& now) {
    auto who = make(now);
    latest_[index] = who.address();
    return who;
  };
  all.push_back(std::move(made));
}

void world::add_watches(std::vector<place>& all) {
  actors::catalog_settings catalog;
  catalog.open_store = disk.opener(clock);
  catalog.pool = &short_work;
  add(all, {"catalog", place::kind::catalog, owner::none, place::every_loop,
            [this, catalog](const standing& now) -> caf::actor {
              return actors_.system.spawn<actors::catalog>(catalog, now.catalog);
            }});
  actors::geoip_watch_settings geoip;
  geoip.files = geoip_files_;
  geoip.pool = &short_work;
  geoip.clock = &clock;
  geoip.metrics = &geoip_metrics_;
  add(all, {"geoip_watch", place::kind::geoip_watch, owner::none, place::every_loop,
            [this, geoip](const standing& now) -> caf::actor {
              return actors_.system.spawn<actors::geoip_watch>(geoip, now.geoip);
            }});
}

void world::add_pool_actors(std::vector<place>& all) {
  const auto on_pool = [&](std::string name, owner role, auto make) {
    add(all, {std::move(name), place::kind::owner, role, place::every_loop, make});
  };
  on_pool("validator/large", owner::large_validator, [this](const standing& now) -> caf::actor {
    return actors_.system.spawn<actors::validator>(model::validation_rules{}, now.catalog);
  });
  on_pool("lobby_export", owner::lobby_export,
          [this, settings = export_settings()](const standing& now) -> caf::actor {
            return actors_.system.spawn<actors::lobby_export>(settings, now.catalog);
          });
  on_pool("export_download", owner::export_download,
          [this, settings = download_settings()](const standing&) -> caf::actor {
            return actors_.system.spawn<actors::export_download>(settings);
          });
  for (std::size_t i = 0; i < actors::avatar_shard_count; ++i)
    on_pool("avatar/" + std::to_string(i),
            static_cast<owner>(static_cast<std::size_t>(owner::avatar) + i),
            [this, settings = avatar_settings()](const standing& now) -> caf::actor {
              return actors_.system.spawn<actors::avatar>(settings, now.catalog);
            });
}

void world::add_residents(std::vector<place>& all, std::size_t i) {
  auto* loop = loops_[i].get();
  auto* transport = transports[i].get();
  const auto number = "/" + std::to_string(i);
  const auto resident = [&](std::string name, place::kind what, owner role, auto make) {
    add(all, {name + number, what, role, i, make});
  };
  resident("validator", place::kind::owner, owner::validator, [this, loop](const standing& now) {
    return actors::spawn_resident<actors::validator>(actors_.system, *loop,
                                                     model::validation_rules{}, now.catalog);
  });
  resident("region_ranking", place::kind::owner, owner::region_ranking,
           [this, loop, i](const standing& now) {
             actors::ranking_settings settings;
             settings.geoip = now.geoip;
             settings.cache_limit_bytes = limits.ranking_cache_bytes;
             settings.metrics = &ranking_metrics_[i];
             return actors::spawn_resident<actors::region_ranking>(
                 actors_.system, *loop, std::move(settings), now.catalog);
           });
  resident("media", place::kind::owner, owner::media, [this, loop](const standing&) {
    actors::media_settings settings;
    settings.files = media_;
    settings.pool = &short_work;
    settings.open_files = limits.media_open_files;
    return actors::spawn_resident<actors::media>(actors_.system, *loop, settings);
  });
  resident("front", place::kind::front, owner::none, [this, loop, transport](const standing&) {
    return actors::spawn_resident<http::front>(actors_.system, *loop,
                                               std::make_shared<const http::front_settings>(),
                                               std::ref<http::exchange_sink>(*transport));
  });
}

std::vector<place> world::places() {
  std::vector<place> all;
  add_watches(all);
  add_pool_actors(all);
  for (std::size_t i = 0; i < loop_count; ++i)
    add_residents(all, i);
  return all;
}

} // namespace matchcloud::simulation
