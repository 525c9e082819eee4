#include "actors/region_ranking.hpp"

#include "model/ranking.hpp"

#include <bit>
#include <utility>

namespace matchcloud::actors {

namespace {

/// List node, hash node, control block and string header of a cached reply.
constexpr std::size_t cache_entry_overhead_bytes = 192;

} // namespace

region_ranking_state::region_ranking_state(ranking_settings settings,
                                           model::catalog_snapshot catalog)
    : settings_{std::move(settings)}, cache_{settings_.cache_limit_bytes} {
  take(std::move(catalog));
}

void region_ranking_state::take(model::catalog_snapshot catalog) {
  if (catalog == catalog_) return; // told again: somebody joined the audience
  catalog_ = std::move(catalog);
  cache_.clear();
  default_namespace_ = settings_.default_namespace
                           ? catalog_->find_namespace(*settings_.default_namespace)
                           : nullptr;
}

const model::game_namespace*
region_ranking_state::namespace_for(const std::string& origin_host) const {
  if (!origin_host.empty()) {
    if (const auto* registered = catalog_->find_namespace_of_domain(origin_host)) return registered;
  }
  return default_namespace_;
}

std::shared_ptr<const std::string> region_ranking_state::rank(const model::ip_address& client,
                                                              const std::string& origin_host) {
  const auto* where = namespace_for(origin_host);
  auto location = settings_.geoip ? settings_.geoip->locate(client) : std::nullopt;
  if (!location) location = settings_.fallback;
  const cache_key key{where == nullptr
                          ? no_namespace
                          : static_cast<std::size_t>(where - catalog_->namespaces.data()),
                      location};
  if (const auto* cached = cache_.get(key)) return *cached;
  auto json = std::make_shared<const std::string>(render(where, location));
  cache_.put(key, json, json->capacity() + cache_entry_overhead_bytes);
  return json;
}

std::string region_ranking_state::render(const model::game_namespace* where,
                                         const std::optional<model::coordinates>& client) const {
  const auto regions = model::regions_of(*catalog_, where);
  return model::render_regions(model::rank_regions(regions, client));
}

std::size_t region_ranking_state::cache_key_hash::operator()(const cache_key& key) const noexcept {
  // Fibonacci hashing: the multiplier spreads what little differs between two doubles.
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
  const auto at = key.location.value_or(model::coordinates{91, 0}); // nowhere on earth
  auto hash = std::bit_cast<std::uint64_t>(at.latitude) * golden;
  hash = (hash ^ hash >> 32U ^ std::bit_cast<std::uint64_t>(at.longitude)) * golden;
  return static_cast<std::size_t>((hash ^ hash >> 32U ^ key.where) * golden >> 16U);
}

region_ranking::region_ranking(caf::actor_config& cfg, ranking_settings settings,
                               model::catalog_snapshot catalog)
    : resident{cfg}, state_{std::move(settings), std::move(catalog)} {}

caf::behavior region_ranking::make_behavior() {
  set_strict_handlers(*this, name());
  return {
      [this](const rank_regions& job) {
        send(caf::actor_cast<caf::actor>(current_sender()),
             regions_ranked{job.exchange, state_.rank(job.client, job.origin_host)});
      },
      [this](const catalog_changed& news) { state_.take(news.snapshot); },
      [this](const geoip_changed& news) { state_.take(news.geoip); },
  };
}

} // namespace matchcloud::actors
