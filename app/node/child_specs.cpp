#include "app/node/child_specs.hpp"

#include "actors/avatar/avatar.hpp"
#include "actors/bookkeeping/bookkeeping.hpp"
#include "actors/catalog/catalog.hpp"
#include "actors/export_download/export_download.hpp"
#include "actors/fault_control/fault_control.hpp"
#include "actors/geoip_watch/geoip_watch.hpp"
#include "actors/ingestion/ingestion.hpp"
#include "actors/latency_map/latency_map.hpp"
#include "actors/lobby_export/lobby_export.hpp"
#include "actors/media/media.hpp"
#include "actors/request/resident.hpp"
#include "actors/validator/validator.hpp"
#include "http/front/front.hpp"
#include "store/media/images.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::app {

namespace {

using actors::child_spec;
using actors::initial_state;
using base::owner;
using base::owner_home;
using shared_layout = std::shared_ptr<const node_layout>;

/// How often learned latencies are stored, and other processes' latencies are read. Other processes
/// are rare on an embedded store: commands, and processes that take over.
constexpr std::chrono::milliseconds keep_interval{2'000};
constexpr std::chrono::milliseconds embedded_keep_interval{10'000};
/// Images kept open or in memory for operators.
constexpr std::size_t images_of_ops = 16;
constexpr std::size_t images_of_ops_bytes = 4UL * 1024 * 1024;
/// The limit on cached listings for operators.
constexpr std::size_t rankings_of_ops_bytes = 64UL * 1024 * 1024;

/// Where actors live: on an event loop, or on the actors' pool.
struct place {
  served_loop on = {};
  std::size_t number = child_spec::every_loop;
  bool is_of_ops = false;
};

/// Where an actor is started, and with which state.
struct site {
  const node_layout& of;
  const place& at;
  const initial_state& now;

  template <class Actor, class... Args>
  caf::actor spawn(Args&&... args) const {
    if (at.on.loop)
      return actors::spawn_resident<Actor>(*of.system, *at.on.loop, std::forward<Args>(args)...);
    return of.system->spawn<Actor>(std::forward<Args>(args)...);
  }
};

actors::lobby_export_settings export_settings(const node_layout& of) {
  const auto& exports = of.config.exports;
  const auto& rules = of.config.rules;
  actors::lobby_export_settings settings;
  settings.job = {of.config.limits.export_timeout, exports.url_lifetime};
  settings.body_rules = {rules.unknown_members == model::unknown_members::ignore,
                         rules.limits.depth};
  settings.public_url = of.public_url;
  settings.jobs_limit = exports.jobs_limit;
  settings.queue_limit = exports.queue_limit;
  settings.game_share_percent = exports.game_share_percent;
  return settings;
}

actors::catalog_settings catalog_settings(const node_layout& of) {
  // An avatar may have been removed, or a game erased.
  const auto forget_images = [with = of.services] {
    with->images->forget();
    with->ops_images->forget();
  };
  const auto forget_avatars = [with = of.services, forget_images](const store::moved_games& moved) {
    with->avatar_lists->forget(moved);
    forget_images();
  };
  return {of.poll_interval, forget_avatars, forget_images, of.look_at_store};
}

/// Operators rarely use a region_ranking, so little is cached for them.
actors::ranking_settings ranking_settings(const site& in) {
  actors::ranking_settings settings{in.of.config.ranking};
  settings.geoip = in.now.geoip;
  settings.latencies = in.now.latencies;
  settings.clock = in.of.services->clock;
  settings.metrics = in.at.on.ranking_metrics;
  settings.places = in.at.on.places;
  if (in.at.is_of_ops) settings.cache_limit_bytes = rankings_of_ops_bytes;
  return settings;
}

actors::media_settings media_settings(const site& in) {
  const auto& with = *in.of.services;
  actors::media_settings settings;
  settings.images = with.images;
  settings.pool = with.short_work;
  settings.kept_limit = in.of.images_kept_limit;
  settings.is_kept_in_memory = in.of.config.store.has_bucket();
  if (in.at.is_of_ops) {
    settings.images = with.ops_images;
    settings.kept_limit = std::min(
        settings.kept_limit, settings.is_kept_in_memory ? images_of_ops_bytes : images_of_ops);
  }
  return settings;
}

actors::ingestion_settings ingestion_settings(const serve_config& config) {
  actors::ingestion_settings settings{config.ingestion};
  settings.places = config.limits.mailbox(owner::ingestion);
  settings.ipv6_client_prefix = config.limits.ipv6_client_prefix;
  return settings;
}

/// How an owner is made: the last column of its row in base/owner.hpp.
caf::actor make_owner(owner which, const site& in) {
  const auto& of = in.of;
  const auto& with = *of.services;
  const auto& config = of.config;
  const auto& catalog = in.now.catalog;
  switch (which) {
  case owner::none: break;
  case owner::validator:
    return in.spawn<actors::validator>(config.rules, catalog, actors::brief_findings_limit);
  case owner::large_validator: return in.spawn<actors::validator>(config.rules, catalog, SIZE_MAX);
  case owner::region_ranking:
    return in.spawn<actors::region_ranking>(ranking_settings(in), catalog);
  case owner::media: return in.spawn<actors::media>(media_settings(in));
  case owner::avatar: return in.spawn<actors::avatar>(with.avatar_lists, catalog);
  case owner::lobby_export:
    return in.spawn<actors::lobby_export>(with, export_settings(of), catalog);
  case owner::export_download: return in.spawn<actors::export_download>(with);
  case owner::latency_map:
    return in.spawn<actors::latency_map>(
        with,
        actors::latency_map_settings{config.ranking.default_namespace, config.store.url.empty()
                                                                           ? embedded_keep_interval
                                                                           : keep_interval},
        catalog, in.now.geoip);
  case owner::ingestion: return in.spawn<actors::ingestion>(with, ingestion_settings(config));
  case owner::administration: return in.spawn<actors::administration>(of.administration);
  case owner::fault_control:
    return in.spawn<actors::fault_control>(with, config.fault_seed.value_or(0));
  case owner::reports: {
    // The rest of the mailbox is left to requests for single reports.
    const auto places = config.limits.mailbox(owner::reports);
    return in.spawn<actors::reports>(with,
                                     actors::reports_settings{of.reports, places - places / 16});
  }
  }
  return {};
}

bool is_needed(owner which, const actors::services& with) {
  if (which == owner::fault_control) return with.faults != nullptr;
  if (which == owner::latency_map) return with.latencies != nullptr;
  return which != owner::none;
}

caf::actor make_front(const site& in) {
  return in.spawn<http::front>(std::ref<http::exchange_sink>(*in.at.on.transport), in.at.on.gate);
}

} // namespace

std::vector<child_spec> child_specs_of(const shared_layout& node) {
  using kind = child_spec::kind;
  namespace news = base::news;
  std::vector<child_spec> all;
  // `hears` and `tells`: the news that a worker receives and publishes.
  const auto add = [&](std::string name, kind what, const place& at, auto make,
                       owner role = owner::none, std::uint8_t hears = 0, std::uint8_t tells = 0) {
    all.push_back({std::move(name), what, role, at.number,
                   [node, at, make](const initial_state& now) {
                     return make(site{*node, at, now});
                   },
                   hears, tells});
  };
  const place pool;
  const auto add_worker = [&](std::string name, auto make, std::uint8_t hears, std::uint8_t tells) {
    add(std::move(name), kind::worker, pool, make, owner::none, hears, tells);
  };
  const auto add_owners = [&](owner_home home, const place& at, const std::string& suffix = {}) {
    for (std::size_t i = 0; i < base::owner_count; ++i) {
      const auto which = static_cast<owner>(i);
      const auto& row = row_of(which);
      if (row.home != home || !is_needed(which, *node->services)) continue;
      add(
          std::string{row.place.empty() ? name_of(which) : row.place} + suffix, kind::owner, at,
          [which](const site& in) { return make_owner(which, in); }, which);
    }
  };
  add_worker(
      "catalog",
      [](const site& in) {
        return in.spawn<actors::catalog>(*in.of.services, catalog_settings(in.of), in.now.catalog,
                                         in.now.tokens);
      },
      0, news::catalog + news::tokens);
  for (const auto& [name, settings] : node->repeated)
    add_worker(
        name,
        [settings = settings](const site& in) { return in.spawn<actors::repeated_task>(settings); },
        0, 0);
  if (node->services->geoip_files)
    add_worker(
        "geoip_watch",
        [](const site& in) {
          return in.spawn<actors::geoip_watch>(*in.of.services, in.now.geoip, in.of.poll_interval);
        },
        0, news::geoip);
  add_owners(owner_home::pool, pool);
  for (std::size_t i = 0; i < node->loops.size(); ++i) {
    const place loop{node->loops[i], i};
    const auto suffix = "/" + std::to_string(i);
    add_owners(owner_home::loops, loop, suffix);
    add("front" + suffix, kind::front, loop, make_front);
  }
  if (node->ops.transport == nullptr) return all;
  const place ops{node->ops, std::max<std::size_t>(1, node->loops.size()), true};
  add_owners(owner_home::pool_of_ops, pool);
  add_owners(owner_home::loops, ops, "/ops");
  add_worker(
      "bookkeeping",
      [](const site& in) { return in.spawn<actors::bookkeeping>(*in.of.services, in.now.tokens); },
      news::tokens, 0);
  add("ops_front", kind::front, ops, make_front);
  return all;
}

} // namespace matchcloud::app
