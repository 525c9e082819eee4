#pragma once

#include "actors/protocol.hpp"
#include "actors/resident.hpp"
#include "base/lru_cache.hpp"
#include "store/geoip.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace matchcloud::actors {

/// What decides a listing besides the client's address and the catalog.
struct ranking_settings {
  /// Null: every location is unknown.
  std::shared_ptr<const store::geoip> geoip;
  /// Where a client of unknown location is taken to be; absent: all distances are 0.
  std::optional<model::coordinates> fallback;
  /// Namespace of listings whose origin says nothing; absent: all regions.
  std::optional<model::uuid> default_namespace;
  std::size_t cache_limit_bytes = 64UL * 1024 * 1024;
};

/// What a region_ranking owns: its catalog snapshot and the replies rendered from it, one per
/// namespace and location. No threads, no actor: tests call it directly.
class region_ranking_state {
public:
  region_ranking_state(ranking_settings settings, model::catalog_snapshot catalog);

  /// Forgets what was rendered from the old snapshot.
  void take(model::catalog_snapshot catalog);

  /// Locates clients by other files from now on. What is cached by location stays.
  void take(std::shared_ptr<const store::geoip> geoip) { settings_.geoip = std::move(geoip); }

  /// The response body for a client. A cached one costs a GeoIP look-up and a hash look-up.
  std::shared_ptr<const std::string> rank(const model::ip_address& client,
                                          const std::string& origin_host);

  std::size_t cached_replies() const noexcept { return cache_.size(); }

private:
  struct cache_key {
    /// Position of the namespace in the snapshot; `no_namespace` without one.
    std::size_t where;
    /// Nothing: unknown.
    std::optional<model::coordinates> location;

    friend bool operator==(const cache_key&, const cache_key&) = default;
  };
  struct cache_key_hash {
    std::size_t operator()(const cache_key& key) const noexcept;
  };
  static constexpr std::size_t no_namespace = SIZE_MAX;

  const model::game_namespace* namespace_for(const std::string& origin_host) const;
  std::string render(const model::game_namespace* where,
                     const std::optional<model::coordinates>& client) const;

  ranking_settings settings_;
  model::catalog_snapshot catalog_;
  const model::game_namespace* default_namespace_ = nullptr;
  base::lru_cache<cache_key, std::shared_ptr<const std::string>, cache_key_hash> cache_;
};

/// Ranks regions for players. One per event loop, resident on it.
class region_ranking final : public resident {
public:
  region_ranking(caf::actor_config& cfg, ranking_settings settings,
                 model::catalog_snapshot catalog);

  const char* name() const override { return "region_ranking"; }

protected:
  caf::behavior make_behavior() override;

private:
  region_ranking_state state_;
};

} // namespace matchcloud::actors
