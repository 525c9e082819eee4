#include "app/node/child_specs.hpp"

#include "actors/catalog/catalog.hpp"
#include "actors/request/resident.hpp"
#include "actors/validator/validator.hpp"
#include "http/front/front.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::app {

namespace {

using actors::child_spec;
using actors::initial_state;
using actors::owner;
using shared_parts = std::shared_ptr<const node_parts>;

/// Images that are kept open, or in memory, for operators.
constexpr std::size_t images_of_ops = 16;
constexpr std::size_t images_of_ops_bytes = 4UL * 1024 * 1024;

actors::avatar_settings avatar_settings(const node_parts& of) {
  actors::avatar_settings settings;
  settings.database = of.database;
  settings.pool = of.store_work;
  settings.budget = of.budget;
  settings.metrics = of.avatar_metrics;
  settings.image_url = of.image_url;
  settings.cache_limit_bytes = of.limits.avatar_cache_bytes / actors::avatar_shard_count;
  settings.list_limit_bytes = of.limits.avatar_list_limit_bytes;
  return settings;
}

actors::lobby_export_settings export_settings(const node_parts& of) {
  actors::lobby_export_settings settings;
  settings.job.database = of.database;
  settings.job.files = of.exports;
  settings.job.clock = of.clock;
  settings.job.metrics = of.export_metrics;
  settings.job.new_id = of.new_id;
  settings.job.timeout = of.limits.export_timeout;
  settings.job.url_lifetime = of.limits.export_url_lifetime;
  settings.keys = of.signing_keys;
  settings.short_work = of.store_work;
  settings.long_work = of.long_work;
  settings.tidy_work = of.long_work;
  settings.public_url = of.public_url;
  settings.jobs_limit = of.limits.export_jobs;
  settings.queue_limit = of.limits.export_queue;
  settings.game_share_percent = of.limits.export_share_percent;
  return settings;
}

actors::export_download_settings download_settings(const node_parts& of) {
  actors::export_download_settings settings;
  settings.files = of.exports;
  settings.keys = of.signing_keys;
  settings.keys_work = of.store_work;
  settings.short_work = of.short_work;
  settings.long_work = of.long_work;
  settings.clock = of.clock;
  settings.metrics = of.export_metrics;
  return settings;
}

actors::catalog_settings catalog_settings(const node_parts& of) {
  actors::catalog_settings settings;
  settings.database = of.database;
  settings.pool = of.store_work;
  settings.poll_interval = of.poll_interval;
  settings.contact = of.contact;
  settings.fence = of.fence;
  settings.clock = of.clock;
  return settings;
}

actors::geoip_watch_settings geoip_settings(const node_parts& of) {
  actors::geoip_watch_settings settings;
  settings.files = of.geoip_files;
  settings.pool = of.short_work;
  settings.clock = of.clock;
  settings.metrics = of.geoip_metrics;
  settings.poll_interval = of.poll_interval;
  return settings;
}

/// The settings of the region_ranking with that number, with the GeoIP files in force.
actors::ranking_settings ranking_settings(const node_parts& of, const initial_state& now,
                                          std::size_t number) {
  actors::ranking_settings settings;
  settings.geoip = now.geoip;
  settings.fallback = of.fallback_location;
  settings.default_namespace = of.default_namespace;
  settings.cache_limit_bytes = of.limits.ranking_cache_bytes;
  settings.metrics = &(*of.ranking_metrics)[number];
  if (of.places != nullptr) settings.places = &(*of.places)[number];
  return settings;
}

actors::media_settings media_settings(const node_parts& of) {
  actors::media_settings settings;
  settings.images = of.images;
  settings.pool = of.short_work;
  settings.kept_limit = of.images_kept_limit;
  settings.is_kept_in_memory = of.images_are_in_memory;
  return settings;
}

void add_watches(std::vector<child_spec>& all, const shared_parts& of) {
  all.push_back({"catalog", child_spec::kind::catalog, owner::none, child_spec::every_loop,
                 [of](const initial_state& now) -> caf::actor {
                   return of->system->spawn<actors::catalog>(catalog_settings(*of), now.catalog,
                                                             now.tokens);
                 }});
  for (const auto& [name, settings] : of->repeated)
    all.push_back({name, child_spec::kind::repeated_task, owner::none, child_spec::every_loop,
                   [of, settings = settings](const initial_state&) -> caf::actor {
                     return of->system->spawn<actors::repeated_task>(settings);
                   }});
  if (!of->geoip_files) return;
  all.push_back({"geoip_watch", child_spec::kind::geoip_watch, owner::none, child_spec::every_loop,
                 [of](const initial_state& now) -> caf::actor {
                   return of->system->spawn<actors::geoip_watch>(geoip_settings(*of), now.geoip);
                 }});
}

/// Adds the owners that exist once or per shard, whatever the transport.
void add_pool_owners(std::vector<child_spec>& all, const shared_parts& of) {
  const auto add = [&](std::string name, owner role, auto make) {
    all.push_back({std::move(name), child_spec::kind::owner, role, child_spec::every_loop, make});
  };
  add("validator/large", owner::large_validator, [of](const initial_state& now) -> caf::actor {
    return of->system->spawn<actors::validator>(of->rules, now.catalog, SIZE_MAX);
  });
  add("lobby_export", owner::lobby_export, [of](const initial_state& now) -> caf::actor {
    return of->system->spawn<actors::lobby_export>(export_settings(*of), of->export_state,
                                                   now.catalog);
  });
  add("export_download", owner::export_download, [of](const initial_state&) -> caf::actor {
    return of->system->spawn<actors::export_download>(download_settings(*of));
  });
  for (std::size_t i = 0; i < actors::avatar_shard_count; ++i)
    add("avatar/" + std::to_string(i), owner::avatar(i),
        [of](const initial_state& now) -> caf::actor {
          return of->system->spawn<actors::avatar>(avatar_settings(*of), now.catalog);
        });
}

/// Spawns a resident actor of the loop, or an actor on the pool if there is no loop.
template <class Actor, class... Args>
caf::actor spawn_at(const served_loop& served, const node_parts& of, Args&&... args) {
  if (served.loop)
    return actors::spawn_resident<Actor>(*of.system, *served.loop, std::forward<Args>(args)...);
  return of.system->spawn<Actor>(std::forward<Args>(args)...);
}

/// Adds the front and the owners of one transport. `number` is that of the loop.
void add_loop(std::vector<child_spec>& all, const shared_parts& of, const served_loop& served,
              std::size_t number) {
  const auto loop = served.loop ? number : child_spec::every_loop;
  const auto suffix = served.loop ? "/" + std::to_string(number) : std::string{};
  const auto add = [&](const char* name, child_spec::kind what, owner role, auto make) {
    all.push_back({name + suffix, what, role, loop, make});
  };
  add("validator", child_spec::kind::owner, owner::validator,
      [of, served](const initial_state& now) {
        return spawn_at<actors::validator>(served, *of, of->rules, now.catalog,
                                           actors::brief_findings_limit);
      });
  add("region_ranking", child_spec::kind::owner, owner::region_ranking,
      [of, served, number](const initial_state& now) {
        return spawn_at<actors::region_ranking>(served, *of, ranking_settings(*of, now, number),
                                                now.catalog);
      });
  add("media", child_spec::kind::owner, owner::media, [of, served](const initial_state&) {
    return spawn_at<actors::media>(served, *of, media_settings(*of));
  });
  add("front", child_spec::kind::front, owner::none, [of, served](const initial_state&) {
    return spawn_at<http::front>(served, *of, of->front,
                                 std::ref<http::exchange_sink>(*served.transport), served.gate);
  });
}

/// What operators ask of the owners that otherwise live on the loops of the data plane: few, so
/// little is kept for them.
void add_loop_of_ops(std::vector<child_spec>& all, const shared_parts& of, std::size_t number) {
  const auto add = [&](const char* name, owner role, auto make) {
    all.push_back({name, child_spec::kind::owner, role, number, make});
  };
  add("validator/ops", owner::validator, [of](const initial_state& now) {
    return spawn_at<actors::validator>(of->ops.loop, *of, of->rules, now.catalog,
                                       actors::brief_findings_limit);
  });
  add("region_ranking/ops", owner::region_ranking, [of](const initial_state& now) {
    actors::ranking_settings settings;
    settings.geoip = now.geoip;
    settings.fallback = of->fallback_location;
    settings.default_namespace = of->default_namespace;
    return spawn_at<actors::region_ranking>(of->ops.loop, *of, settings, now.catalog);
  });
  add("media/ops", owner::media, [of](const initial_state&) {
    auto settings = media_settings(*of);
    settings.images = of->ops.images;
    settings.kept_limit = std::min(
        settings.kept_limit, settings.is_kept_in_memory ? images_of_ops_bytes : images_of_ops);
    return spawn_at<actors::media>(of->ops.loop, *of, settings);
  });
}

/// Adds the front and the owners of the ops plane.
void add_ops(std::vector<child_spec>& all, const shared_parts& of, std::size_t number) {
  const auto add = [&](const char* name, owner role, auto make) {
    all.push_back({name, child_spec::kind::owner, role, child_spec::every_loop, make});
  };
  add("ingestion", owner::ingestion, [of](const initial_state&) -> caf::actor {
    return of->system->spawn<actors::ingestion>(of->ops.ingestion);
  });
  add("administration", owner::administration, [of](const initial_state&) -> caf::actor {
    return of->system->spawn<actors::administration>(of->ops.administration);
  });
  add("reports", owner::reports, [of](const initial_state&) -> caf::actor {
    actors::reports_settings settings{of->ops.reports, of->ops.surveys};
    // The rest of the mailbox is left to those who ask for one report.
    settings.watchers_limit = of->limits.reports_mailbox - of->limits.reports_mailbox / 16;
    return of->system->spawn<actors::reports>(settings);
  });
  add_loop_of_ops(all, of, number);
  if (of->ops.faults)
    add("fault_control", owner::fault_control, [of](const initial_state&) -> caf::actor {
      return of->system->spawn<actors::fault_control>(of->ops.fault_seed, of->ops.faults,
                                                      of->ops.fault_audit);
    });
  all.push_back({"bookkeeping", child_spec::kind::bookkeeping, owner::none, child_spec::every_loop,
                 [of](const initial_state& now) -> caf::actor {
                   return of->system->spawn<actors::bookkeeping>(of->ops.bookkeeping, now.tokens);
                 }});
  all.push_back(
      {"ops_front", child_spec::kind::front, owner::none, number, [of](const initial_state&) {
         return spawn_at<http::front>(of->ops.loop, *of, of->ops.front,
                                      std::ref<http::exchange_sink>(*of->ops.loop.transport),
                                      of->ops.loop.gate);
       }});
}

} // namespace

std::vector<child_spec> child_specs_of(const std::shared_ptr<const node_parts>& parts) {
  std::vector<child_spec> all;
  add_watches(all, parts);
  add_pool_owners(all, parts);
  if (parts->pool.transport) add_loop(all, parts, parts->pool, 0);
  for (std::size_t i = 0; i < parts->loops.size(); ++i)
    add_loop(all, parts, parts->loops[i], i);
  if (parts->ops.loop.transport != nullptr)
    add_ops(all, parts, std::max<std::size_t>(1, parts->loops.size()));
  return all;
}

} // namespace matchcloud::app
