#pragma once

#include "actors/region_ranking/messages.hpp"
#include "actors/region_ranking/ranking_config.hpp"
#include "actors/request/resident.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/second_chance_cache.hpp"
#include "model/latency/predictor.hpp"
#include "model/regions/ranking.hpp"
#include "model/regions/region_listing.hpp"
#include "store/geoip/geoip.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace matchcloud::actors {

struct explained_client;

/// Counts of one region_ranking. Written by its thread, read by the ops plane.
struct ranking_metrics : base::metric_set {
  base::counter hits{
      *this,
      {"matchcloud_ranking_cache_hits_total", "Listings of regions answered from the cache."}};
  base::counter misses{
      *this, {"matchcloud_ranking_cache_misses_total", "Listings of regions ranked again."}};
  base::counter evictions{
      *this,
      {"matchcloud_ranking_cache_evictions_total", "Cached listings that made room for others."}};
  base::gauge bytes{*this, {"matchcloud_ranking_cache_bytes", "Cached listings of regions."}};
  base::counter compressed_hits{*this,
                                {"matchcloud_ranking_compressed_hits_total",
                                 "Answers with a listing of regions that was kept compressed."}};
  base::gauge compressed_bytes{
      *this,
      {"matchcloud_ranking_compressed_bytes", "Listings of regions that are kept compressed."}};
};

/// Counts requests for listings by their origin, in cells of `cell_degrees` a side. Written by one
/// thread, read by any.
class place_counts {
public:
  static constexpr int cell_degrees = 5;
  static constexpr std::size_t rows = 180 / cell_degrees;
  static constexpr std::size_t columns = 360 / cell_degrees;
  /// The cells row by row from the south-west, then those of unknown places.
  static constexpr std::size_t size = rows * columns + 1;

  static std::size_t cell_of(const std::optional<model::coordinates>& at) noexcept {
    if (!at) return size - 1;
    const auto row = static_cast<std::size_t>((at->latitude + 90) / cell_degrees);
    const auto column = static_cast<std::size_t>((at->longitude + 180) / cell_degrees);
    return std::min(row, rows - 1) * columns + std::min(column, columns - 1);
  }
  void count(std::size_t in_cell) noexcept {
    auto& cell = cells_[in_cell];
    cell.store(cell.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::uint64_t get(std::size_t cell) const noexcept {
    return cells_[cell].load(std::memory_order_relaxed);
  }

private:
  std::array<std::atomic<std::uint64_t>, size> cells_{};
};

/// What determines a listing besides the client's address and the catalog.
struct ranking_settings : ranking_config {
  /// Null: the location of every client is unknown.
  std::shared_ptr<const store::geoip> geoip = {};
  /// Must outlive the actor. Null: nothing is counted.
  ranking_metrics* metrics = nullptr;
  /// Must outlive the actor. Null: places are not counted.
  place_counts* places = nullptr;
  /// Null: nothing is known of latencies.
  std::shared_ptr<const model::latency_snapshot> latencies = {};
  /// Must outlive the actor.
  const base::clock* clock = &base::machine_clock();
};

/// The state of a region_ranking: its catalog snapshot, the rendered parts that all listings share,
/// and the order and distances of regions for each location. No threads and no actor, so that tests
/// can call it directly.
class region_ranking_state {
public:
  region_ranking_state(ranking_settings settings, model::catalog_snapshot catalog);

  /// Replaces the snapshot. Returns what was rendered from the old one, to be freed elsewhere:
  /// freeing tens of thousands of listings takes milliseconds, too long for an event loop. Null if
  /// `catalog` is already in force.
  std::shared_ptr<const void> set_catalog(model::catalog_snapshot catalog);
  /// Locates clients with other files from now on. Returns what must be freed, like `set_catalog`:
  /// listings are cached by the files' numbers for places, which change with the files.
  std::shared_ptr<const void> set_geoip(std::shared_ptr<const store::geoip> geoip);

  /// Predicts latencies by another snapshot from now on. Returns what must be freed, like
  /// `set_catalog`.
  std::shared_ptr<const void>
  set_latencies(std::shared_ptr<const model::latency_snapshot> latencies);

  using listing_ptr = std::shared_ptr<const model::region_listing>;
  using text_ptr = std::shared_ptr<const std::string>;
  /// One part in `compressed_part` of the cache is for compressed listings. Those of the most
  /// frequent places fit, which saves compressing them repeatedly.
  static constexpr std::size_t compressed_part = 8;
  /// In addition, one part in `distances_part` is for the distances of group members' places. Taken
  /// from the listings, it would evict some of those that all clients need.
  static constexpr std::size_t distances_part = 16;
  /// Players times regions of a group: more would keep an event loop for tens of milliseconds.
  static constexpr std::size_t group_figures_limit = 32'768;
  /// A listing is kept compressed if its place requests it again within about this many other
  /// places' requests: for rare places, keeping it would cost more than it saves.
  static constexpr std::size_t places_remembered = 1'024;
  /// The longest time that a cached listing ordered by latency is used after what is known about
  /// latencies has changed. Clients may keep it for a minute.
  static constexpr std::chrono::seconds stale_after{10};

  /// The answer to a client.
  struct ranked {
    listing_ptr listing;
    /// See `regions_ranked`.
    text_ptr gzip = {};
    text_ptr detailed = {};
  };
  /// The most clients that are ranked together.
  static constexpr std::size_t at_once = store::geoip::at_once;

  /// The listings for at most `at_once` clients: each of the named namespace, or else of the one
  /// that registered the origin's host. Memory for one client is prefetched while the others are
  /// looked up. A cached listing costs a GeoIP look-up and a hash look-up. Regions that the client
  /// measured come first; their order is not cached.
  void rank(std::span<const rank_regions* const> clients, std::span<ranked> answers);

  /// The explanation of a client's or a place's listing for operators, as JSON: the assumed
  /// location, how it was determined, and the listing as such a client gets it. Not cached.
  std::string explain(const explain_ranking& request) const;
  /// Regions for a group, as JSON: each player's round trip is its own measurement, or else the
  /// prediction for its place and network. The distances of places are cached, predictions are not.
  /// Fails with `query_invalid` for more than `group_figures_limit` figures.
  base::expected<std::string> rank(const rank_group& request);
  bool has_namespace(const model::uuid& id) const {
    return catalog_->find_namespace(id) != nullptr;
  }

  std::size_t cached_listings() const noexcept { return caches_.listings.size(); }
  std::size_t kept_compressed() const noexcept { return caches_.compressed.size(); }

private:
  struct cache_key {
    /// Which regions are listed: 0 for all, else 1 + the index of the namespace that has its own.
    std::uint32_t list = 0;
    /// The GeoIP files' number of the place; 0 if it is unknown.
    std::uint32_t place = 0;
    /// The narrowest group of clients with known latencies, apart from groups of the place. Set
    /// only if latencies order the listing.
    model::latency_cell group = {};

    friend bool operator==(const cache_key&, const cache_key&) = default;
  };
  struct cache_key_hash {
    std::size_t operator()(const cache_key& key) const noexcept {
      return (std::uint64_t{key.list} << 32U | key.place) ^ key.group.key * 0x9E3779B97F4A7C15ULL;
    }
  };
  /// A client whose listing is being made.
  struct client_at {
    std::optional<model::coordinates> location;
    model::client_cells cells;
  };
  struct cached_listing {
    listing_ptr listing;
    /// The cell in which the listing's clients are counted.
    std::size_t cell = 0;
    /// The snapshot of latencies that orders it, counted from the first, and since when.
    std::uint32_t snapshot = 0;
    base::steady_time made = {};
  };

  /// The clients that are ranked together. A member, because clearing it for each message would
  /// cost more than looking up one client.
  struct batch {
    std::array<model::ip_address, at_once> addresses;
    std::array<std::uint32_t, at_once> places;
    std::array<const model::game_namespace*, at_once> where;
    std::array<cache_key, at_once> keys;
  };

  struct caches {
    explicit caches(std::size_t limit_bytes)
        : listings{limit_bytes - limit_bytes / compressed_part},
          compressed{limit_bytes / compressed_part},
          distances{limit_bytes / distances_part} {}

    base::second_chance_cache<cache_key, cached_listing, cache_key_hash> listings;
    base::second_chance_cache<cache_key, text_ptr, cache_key_hash> compressed;
    /// Meters from a place to each region of a list, in its order. Without groups of clients.
    base::second_chance_cache<cache_key, std::vector<float>, cache_key_hash> distances;
    /// The keys whose compressed listings were requested last and are not kept, by place.
    std::array<std::optional<cache_key>, places_remembered> asked_last{};
  };

  const model::game_namespace* namespace_for(const std::string& origin_host,
                                             const std::optional<model::uuid>& namespace_id) const;
  /// The listing for a client, from the cache if it is there.
  cached_listing listed(const model::game_namespace* where, const cache_key& key,
                        const model::ip_address& client);
  bool ranks_by_latency() const noexcept {
    return settings_.rank_by == ranking_order::latency && settings_.latencies;
  }
  bool is_fresh(const cached_listing& known) const noexcept {
    return !ranks_by_latency() || known.snapshot == snapshots_ || now_ - known.made < stale_after;
  }
  /// See `cache_key::group`.
  model::latency_cell group_of(const model::ip_address& client) const noexcept;
  /// The location of a client, by its address.
  client_at place_of(const model::ip_address& client) const noexcept;
  /// The regions of a listing, in its order.
  std::vector<model::ranked_region> ranked_for(const model::game_namespace* where,
                                               const client_at& client) const;
  /// The predictions for the first `model::latency_region_limit` of them, to be shown.
  std::vector<model::latency_prediction> predicted_for(std::span<const model::ranked_region> rows,
                                                       const client_at& client) const;
  std::vector<model::latency_prediction> predicted(std::span<const model::region_distance> regions,
                                                   const client_at& client,
                                                   model::network_rows which) const;
  /// The same regions, by their numbers in the snapshot of latencies.
  std::vector<model::region_distance> numbered(std::span<const model::ranked_region> rows) const;
  /// Numbers the regions of the catalog as the snapshot does.
  void number_regions();
  /// The compressed form of a listing; null if it is not kept, or if plain JSON is shorter.
  text_ptr compressed(const cache_key& key, const model::region_listing& listing);
  cache_key key_of(const model::game_namespace* where, std::uint32_t place) const;
  // Details in addition to the listing (detailed_listing.cpp).
  struct explanation;
  text_ptr detailed(const model::game_namespace* where, const rank_regions& request) const;
  explanation explanation_of(const model::ip_address& client) const;
  /// Sets what is shown of the client.
  void explain(explained_client& into, explanation&& of) const;
  // Regions for groups (group.cpp).
  class group_members;
  /// Sets the distances from a place of the GeoIP files, from the cache if they are there.
  void set_distances(group_members& of, const cache_key& key);
  /// Predicts for at most `at_once` players, of whom `first` is the number of the first.
  void predict(group_members& of, const model::game_namespace* where,
               std::span<const model::group_player> players, std::size_t first);
  std::string render(const group_members& of, const model::group_request& group) const;
  std::size_t position_of(const model::region& of) const noexcept {
    return static_cast<std::size_t>(&of - catalog_->regions.data());
  }
  /// What is known about latencies, which may be nothing.
  const model::latency_snapshot& latencies() const noexcept;
  std::shared_ptr<const void> take_caches();
  listing_ptr listed(std::span<const model::ranked_region> rows) const;
  listing_ptr listing_for(const model::game_namespace* where, const client_at& client) const;
  /// What a client at that place can have measured; `left_out` gets the ids of the other regions.
  std::vector<model::measured_latency> possible(std::span<const model::measured_latency> measured,
                                                const std::optional<model::coordinates>& at,
                                                std::vector<std::string>* left_out = nullptr) const;
  listing_ptr measured_first(const listing_ptr& listing,
                             std::span<const model::measured_latency> measured) const;

  ranking_settings settings_;
  model::catalog_snapshot catalog_;
  std::shared_ptr<const model::region_fragments> fragments_;
  const model::game_namespace* default_namespace_ = nullptr;
  /// The numbers of the catalog's regions in the snapshot of latencies.
  std::vector<std::uint16_t> region_numbers_;
  /// The number of snapshots so far.
  std::uint32_t snapshots_ = 0;
  /// The time for which clients are ranked; set only if listings are ordered by latency.
  base::steady_time now_{};
  caches caches_;
  batch batch_{};
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
  void on(const rank_regions& request);
  /// Answers the waiting requests, which are all from the sender of the current message.
  void rank_all();
  /// Sends what news replaced back to their sender to be freed.
  void discard(std::shared_ptr<const void> old);

  region_ranking_state state_;
  /// Requests within the current message, at most `region_ranking_state::at_once`.
  std::vector<const rank_regions*> waiting_;
  /// Their answers; null except while they are made.
  std::array<region_ranking_state::ranked, region_ranking_state::at_once> ranked_;
};

} // namespace matchcloud::actors
