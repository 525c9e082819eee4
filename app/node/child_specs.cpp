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
using base::owner;
using shared_parts = std::shared_ptr<const node_parts>;

/// How often learned latencies are stored, and other processes' latencies are read. Other processes
/// are rare on an embedded store: commands, and processes that take over.
constexpr std::chrono::milliseconds keep_interval{2'000};
constexpr std::chrono::milliseconds embedded_keep_interval{10'000};
/// Images kept open or in memory for operators.
constexpr std::size_t images_of_ops = 16;
constexpr std::size_t images_of_ops_bytes = 4UL * 1024 * 1024;
/// The limit on cached listings for operators.
constexpr std::size_t rankings_of_ops_bytes = 64UL * 1024 * 1024;

actors::lobby_export_settings export_settings(const node_parts& of) {
  actors::lobby_export_settings settings;
  settings.job.database = of.database;
  settings.job.files = of.exports;
  settings.job.clock = of.clock;
  settings.job.metrics = of.export_metrics;
  settings.job.new_id = of.new_id;
  settings.job.timeout = of.config.limits.export_timeout;
  settings.job.url_lifetime = of.config.exports.url_lifetime;
  settings.keys = of.signing_keys;
  settings.short_work = of.store_work;
  settings.long_work = of.long_work;
  settings.tidy_work = of.long_work;
  const auto& rules = of.config.rules;
  settings.body_rules = {rules.unknown_members == model::unknown_members::ignore,
                         rules.limits.depth};
  settings.public_url = of.public_url;
  settings.jobs_limit = of.config.exports.jobs_limit;
  settings.queue_limit = of.config.exports.queue_limit;
  settings.game_share_percent = of.config.exports.game_share_percent;
  return settings;
}

actors::export_download_settings download_settings(const node_parts& of) {
  return {.files = of.exports,
          .database = of.database,
          .keys = of.signing_keys,
          .keys_work = of.store_work,
          .short_work = of.short_work,
          .long_work = of.long_work,
          .clock = of.clock,
          .metrics = of.export_metrics};
}

actors::catalog_settings catalog_settings(const node_parts& of) {
  actors::catalog_settings settings;
  settings.database = of.database;
  settings.pool = of.store_work;
  settings.poll_interval = of.poll_interval;
  settings.contact = of.contact;
  // An avatar may have been removed, or a game erased.
  settings.on_changed_catalog = [images = of.images, of_ops = of.ops.images] {
    if (images) images->forget();
    if (of_ops) of_ops->forget();
  };
  settings.on_moved_avatars = [lists = of.avatar_lists, forget = settings.on_changed_catalog](
                                  const store::moved_games& moved) {
    if (lists) lists->forget(moved);
    forget();
  };
  settings.fence = of.fence;
  settings.look = of.look_at_store;
  settings.clock = of.clock;
  return settings;
}

actors::geoip_watch_settings geoip_settings(const node_parts& of) {
  return {.files = of.geoip_files,
          .pool = of.short_work,
          .clock = of.clock,
          .metrics = of.geoip_metrics,
          .poll_interval = of.poll_interval};
}

/// Where an actor is started, and with which parts.
struct site {
  const node_parts& of;
  /// The loop that it runs on; without one it runs on the pool.
  const served_loop& at;
  /// The number of the loop, and whether it is the loop of the ops plane.
  std::size_t number = 0;
  bool is_of_ops = false;
  const initial_state& now;

  template <class Actor, class... Args>
  caf::actor spawn(Args&&... args) const {
    if (at.loop)
      return actors::spawn_resident<Actor>(*of.system, *at.loop, std::forward<Args>(args)...);
    return of.system->spawn<Actor>(std::forward<Args>(args)...);
  }
};

/// Operators rarely use a region_ranking, so little is cached for them and nothing is counted.
actors::ranking_settings ranking_settings(const site& at) {
  actors::ranking_settings settings{at.of.config.ranking};
  settings.geoip = at.now.geoip;
  settings.latencies = at.now.latencies;
  settings.clock = at.of.clock;
  if (at.is_of_ops) {
    settings.cache_limit_bytes = rankings_of_ops_bytes;
    return settings;
  }
  settings.metrics = &(*at.of.ranking_metrics)[at.number];
  if (at.of.places != nullptr) settings.places = &(*at.of.places)[at.number];
  return settings;
}

actors::latency_map_settings latency_settings(const node_parts& of) {
  return {.state = of.latencies,
          .gate = of.latency_gate,
          .database = of.database,
          .pool = of.store_work,
          .clock = of.clock,
          .default_namespace = of.config.ranking.default_namespace,
          .keep_interval = of.config.store.url.empty() ? embedded_keep_interval : keep_interval};
}

actors::media_settings media_settings(const site& at) {
  const auto& of = at.of;
  actors::media_settings settings;
  settings.images = at.is_of_ops ? of.ops.images : of.images;
  settings.pool = of.short_work;
  settings.kept_limit = of.images_kept_limit;
  settings.is_kept_in_memory = of.images_are_in_memory;
  if (at.is_of_ops)
    settings.kept_limit = std::min(
        settings.kept_limit, settings.is_kept_in_memory ? images_of_ops_bytes : images_of_ops);
  return settings;
}

actors::ingestion_settings ingestion_settings(const node_parts& of) {
  actors::ingestion_settings settings{of.config.ingestion};
  settings.store = of.ops.ingest_store;
  settings.pool = of.ops.ingesting;
  settings.metrics = of.ops.ingestion_metrics;
  settings.clock = of.clock;
  settings.places = of.config.limits.mailbox(owner::ingestion);
  settings.ipv6_client_prefix = of.config.limits.ipv6_client_prefix;
  return settings;
}

actors::reports_settings reports_settings(const node_parts& of) {
  actors::reports_settings settings{of.ops.reports, of.ops.surveys};
  // The rest of the mailbox is left to requests for single reports.
  const auto places = of.config.limits.mailbox(owner::reports);
  settings.watchers_limit = places - places / 16;
  return settings;
}

/// Starts an owner. A further owner needs its case here, and its row in base/owner.hpp.
caf::actor make_owner(owner which, const site& at) {
  const auto& of = at.of;
  const auto& catalog = at.now.catalog;
  switch (which) {
  case owner::none: break;
  case owner::validator:
    return at.spawn<actors::validator>(of.config.rules, catalog, actors::brief_findings_limit);
  case owner::large_validator:
    return at.spawn<actors::validator>(of.config.rules, catalog, SIZE_MAX);
  case owner::region_ranking:
    return at.spawn<actors::region_ranking>(ranking_settings(at), catalog);
  case owner::media: return at.spawn<actors::media>(media_settings(at));
  case owner::avatar: return at.spawn<actors::avatar>(of.avatar_lists, catalog);
  case owner::lobby_export:
    return at.spawn<actors::lobby_export>(export_settings(of), of.export_state, catalog);
  case owner::export_download: return at.spawn<actors::export_download>(download_settings(of));
  case owner::latency_map:
    return at.spawn<actors::latency_map>(latency_settings(of), catalog, at.now.geoip);
  case owner::ingestion: return at.spawn<actors::ingestion>(ingestion_settings(of));
  case owner::administration: return at.spawn<actors::administration>(of.ops.administration);
  case owner::fault_control:
    return at.spawn<actors::fault_control>(of.ops.fault_seed, of.ops.faults, of.ops.fault_audit);
  case owner::reports: return at.spawn<actors::reports>(reports_settings(of));
  }
  return {};
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

/// Adds the owners that run on the actors' pool.
void add_pool_owners(std::vector<child_spec>& all, const shared_parts& of, base::owner_home home) {
  for (std::size_t i = 0; i < base::owner_count; ++i) {
    const auto which = static_cast<owner>(i);
    const auto& row = row_of(which);
    if (which == owner::none || row.home != home) continue;
    if (which == owner::fault_control && !of->ops.faults) continue;
    if (which == owner::latency_map && !of->latencies) continue;
    all.push_back({std::string{row.place.empty() ? name_of(which) : row.place},
                   child_spec::kind::owner, which, child_spec::every_loop,
                   [of, which](const initial_state& now) {
                     return make_owner(which, {*of, served_loop{}, 0, false, now});
                   }});
  }
}

/// Adds the owners of an event loop. `number` is that of the loop.
void add_loop_owners(std::vector<child_spec>& all, const shared_parts& of,
                     const served_loop& served, std::size_t number, bool is_of_ops) {
  const auto suffix = "/" + (is_of_ops ? std::string{"ops"} : std::to_string(number));
  for (std::size_t i = 0; i < base::owner_count; ++i) {
    const auto which = static_cast<owner>(i);
    if (which == owner::none || row_of(which).home != base::owner_home::loops) continue;
    all.push_back({std::string{name_of(which)} + suffix, child_spec::kind::owner, which, number,
                   [of, served, number, is_of_ops, which](const initial_state& now) {
                     return make_owner(which, {*of, served, number, is_of_ops, now});
                   }});
  }
}

void add_front(std::vector<child_spec>& all, const shared_parts& of, std::string name,
               const served_loop& served, std::size_t loop,
               const std::shared_ptr<const http::front_settings>& settings) {
  const auto gate = served.gate ? served.gate : std::make_shared<http::access_gate>(settings);
  all.push_back({std::move(name), child_spec::kind::front, owner::none, loop,
                 [of, served, gate](const initial_state& now) {
                   return site{*of, served, 0, false, now}.spawn<http::front>(
                       std::ref<http::exchange_sink>(*served.transport), gate);
                 }});
}

/// Adds the owners and the front of an event loop of the data plane.
void add_loop(std::vector<child_spec>& all, const shared_parts& of, const served_loop& served,
              std::size_t number) {
  add_loop_owners(all, of, served, number, false);
  add_front(all, of, "front/" + std::to_string(number), served, number, of->front);
}

/// Adds the owners and the front of the ops plane. `number` is that of its loop.
void add_ops(std::vector<child_spec>& all, const shared_parts& of, std::size_t number) {
  add_pool_owners(all, of, base::owner_home::pool_of_ops);
  add_loop_owners(all, of, of->ops.loop, number, true);
  all.push_back({"bookkeeping", child_spec::kind::bookkeeping, owner::none, child_spec::every_loop,
                 [of](const initial_state& now) -> caf::actor {
                   return of->system->spawn<actors::bookkeeping>(of->ops.bookkeeping, now.tokens);
                 }});
  add_front(all, of, "ops_front", of->ops.loop, number, of->ops.front);
}

} // namespace

std::vector<child_spec> child_specs_of(const std::shared_ptr<const node_parts>& parts) {
  std::vector<child_spec> all;
  add_watches(all, parts);
  add_pool_owners(all, parts, base::owner_home::pool);
  for (std::size_t i = 0; i < parts->loops.size(); ++i)
    add_loop(all, parts, parts->loops[i], i);
  if (parts->ops.loop.transport != nullptr)
    add_ops(all, parts, std::max<std::size_t>(1, parts->loops.size()));
  return all;
}

} // namespace matchcloud::app
