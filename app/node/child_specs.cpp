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

/// Where an actor is started, and with which state.
struct site {
  const node_layout& of;
  /// The loop that it runs on; without one it runs on the pool.
  const served_loop& at;
  bool is_of_ops = false;
  const initial_state& now;

  template <class Actor, class... Args>
  caf::actor spawn(Args&&... args) const {
    if (at.loop)
      return actors::spawn_resident<Actor>(*of.system, *at.loop, std::forward<Args>(args)...);
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
actors::ranking_settings ranking_settings(const site& at) {
  actors::ranking_settings settings{at.of.config.ranking};
  settings.geoip = at.now.geoip;
  settings.latencies = at.now.latencies;
  settings.clock = at.of.services->clock;
  settings.metrics = at.at.ranking_metrics;
  settings.places = at.at.places;
  if (at.is_of_ops) settings.cache_limit_bytes = rankings_of_ops_bytes;
  return settings;
}

actors::media_settings media_settings(const site& at) {
  const auto& of = at.of;
  const auto most_of_ops = of.images_are_in_memory ? images_of_ops_bytes : images_of_ops;
  actors::media_settings settings;
  settings.images = at.is_of_ops ? of.services->ops_images : of.services->images;
  settings.pool = of.services->short_work;
  settings.kept_limit =
      at.is_of_ops ? std::min(of.images_kept_limit, most_of_ops) : of.images_kept_limit;
  settings.is_kept_in_memory = of.images_are_in_memory;
  return settings;
}

actors::ingestion_settings ingestion_settings(const serve_config& config) {
  actors::ingestion_settings settings{config.ingestion};
  settings.places = config.limits.mailbox(owner::ingestion);
  settings.ipv6_client_prefix = config.limits.ipv6_client_prefix;
  return settings;
}

/// How an owner is made: the last column of its row in base/owner.hpp.
caf::actor make_owner(owner which, const site& at) {
  const auto& of = at.of;
  const auto& with = *of.services;
  const auto& config = of.config;
  const auto& catalog = at.now.catalog;
  switch (which) {
  case owner::none: break;
  case owner::validator:
    return at.spawn<actors::validator>(config.rules, catalog, actors::brief_findings_limit);
  case owner::large_validator: return at.spawn<actors::validator>(config.rules, catalog, SIZE_MAX);
  case owner::region_ranking:
    return at.spawn<actors::region_ranking>(ranking_settings(at), catalog);
  case owner::media: return at.spawn<actors::media>(media_settings(at));
  case owner::avatar: return at.spawn<actors::avatar>(with.avatar_lists, catalog);
  case owner::lobby_export:
    return at.spawn<actors::lobby_export>(with, export_settings(of), catalog);
  case owner::export_download: return at.spawn<actors::export_download>(with);
  case owner::latency_map:
    return at.spawn<actors::latency_map>(
        with,
        actors::latency_map_settings{config.ranking.default_namespace, config.store.url.empty()
                                                                           ? embedded_keep_interval
                                                                           : keep_interval},
        catalog, at.now.geoip);
  case owner::ingestion: return at.spawn<actors::ingestion>(with, ingestion_settings(config));
  case owner::administration: return at.spawn<actors::administration>(of.administration);
  case owner::fault_control: return at.spawn<actors::fault_control>(with, of.fault_seed);
  case owner::reports: {
    // The rest of the mailbox is left to requests for single reports.
    const auto places = config.limits.mailbox(owner::reports);
    return at.spawn<actors::reports>(with,
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

/// The children of a node, in the order in which they start.
class children {
public:
  explicit children(const shared_layout& of) : of_{of} {}

  std::vector<child_spec> take() && { return std::move(all_); }

  /// Adds an actor that is no owner and lives on the actors' pool.
  template <class Make>
  void add(std::string name, child_spec::kind what, Make make) {
    all_.push_back(
        {std::move(name), what, owner::none, child_spec::every_loop,
         [of = of_, make](const initial_state& now) -> caf::actor { return make(*of, now); }});
  }
  /// Adds the owners that live on the actors' pool.
  void add_owners(owner_home home) {
    for_each_owner(home, [&](owner which, std::string_view name) {
      const auto& place = row_of(which).place;
      add(std::string{place.empty() ? name : place}, which, child_spec::every_loop, {}, false);
    });
  }
  /// Adds the owners of an event loop. `number` is that of the loop.
  void add_owners(const served_loop& at, std::size_t number, bool is_of_ops) {
    const auto suffix = "/" + (is_of_ops ? std::string{"ops"} : std::to_string(number));
    for_each_owner(owner_home::loops, [&](owner which, std::string_view name) {
      add(std::string{name} + suffix, which, number, at, is_of_ops);
    });
  }
  /// Adds the front of an event loop.
  void add_front(std::string name, const served_loop& at, std::size_t number) {
    all_.push_back({std::move(name), child_spec::kind::front, owner::none, number,
                    [of = of_, at](const initial_state& now) {
                      return site{*of, at, false, now}.spawn<http::front>(
                          std::ref<http::exchange_sink>(*at.transport), at.gate);
                    }});
  }

private:
  template <class Take>
  void for_each_owner(owner_home home, Take take) {
    for (std::size_t i = 0; i < base::owner_count; ++i) {
      const auto which = static_cast<owner>(i);
      if (row_of(which).home == home && is_needed(which, *of_->services))
        take(which, name_of(which));
    }
  }
  void add(std::string name, owner which, std::size_t number, const served_loop& at,
           bool is_of_ops) {
    all_.push_back({std::move(name), child_spec::kind::owner, which, number,
                    [of = of_, which, at, is_of_ops](const initial_state& now) {
                      return make_owner(which, {*of, at, is_of_ops, now});
                    }});
  }

  const shared_layout& of_;
  std::vector<child_spec> all_;
};

} // namespace

std::vector<child_spec> child_specs_of(const shared_layout& node) {
  using kind = child_spec::kind;
  children all{node};
  all.add("catalog", kind::catalog, [](const node_layout& of, const initial_state& now) {
    return of.system->spawn<actors::catalog>(*of.services, catalog_settings(of), now.catalog,
                                             now.tokens);
  });
  for (const auto& [name, settings] : node->repeated)
    all.add(name, kind::repeated_task,
            [settings = settings](const node_layout& of, const initial_state&) {
              return of.system->spawn<actors::repeated_task>(settings);
            });
  if (node->services->geoip_files)
    all.add("geoip_watch", kind::geoip_watch, [](const node_layout& of, const initial_state& now) {
      return of.system->spawn<actors::geoip_watch>(*of.services, now.geoip, of.poll_interval);
    });
  all.add_owners(owner_home::pool);
  for (std::size_t i = 0; i < node->loops.size(); ++i) {
    all.add_owners(node->loops[i], i, false);
    all.add_front("front/" + std::to_string(i), node->loops[i], i);
  }
  if (node->ops.transport == nullptr) return std::move(all).take();
  const auto ops_number = std::max<std::size_t>(1, node->loops.size());
  all.add_owners(owner_home::pool_of_ops);
  all.add_owners(node->ops, ops_number, true);
  all.add("bookkeeping", kind::bookkeeping, [](const node_layout& of, const initial_state& now) {
    return of.system->spawn<actors::bookkeeping>(*of.services, now.tokens);
  });
  all.add_front("ops_front", node->ops, ops_number);
  return std::move(all).take();
}

} // namespace matchcloud::app
