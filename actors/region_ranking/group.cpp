#include "actors/region_ranking/region_ranking.hpp"

#include "model/json/json_writer.hpp"
#include "model/latency/predictor.hpp"
#include "model/regions/group_ranking.hpp"
#include "store/geoip/geoip.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

/// Estimated overhead of a cache entry, not counting its distances.
constexpr std::size_t distances_overhead_bytes = 112;
/// How many distances of a group are computed exactly, at a microsecond each. Further ones are
/// computed on a sphere, with an error of at most 0.5 %, in a twentieth of the time: catalogs may
/// have many regions, and one request must not keep an event loop for long.
constexpr std::size_t exact_distances_limit = 2'048;

void write_ms(model::json_writer& json, model::round_trip_us value) {
  std::string text;
  model::append_round_trip_ms(text, value);
  json.raw(text);
}

} // namespace

/// The players of a group, and what is known about the distance of each to each region of a list.
class region_ranking_state::group_members {
public:
  group_members(std::vector<const model::region*> regions, std::size_t players)
      : regions_{std::move(regions)},
        figures_us_(players * regions_.size(), model::no_round_trip),
        places_(players),
        asked_(regions_.size()),
        predictions_(regions_.size()) {}

  const std::vector<const model::region*>& regions() const noexcept { return regions_; }
  std::span<const model::round_trip_us> figures_us() const noexcept { return figures_us_; }
  std::span<const model::round_trip_us> figures_us(std::size_t player) const noexcept {
    return figures_us().subspan(player * regions_.size(), regions_.size());
  }

  /// Sets the number of a listed region in the snapshot of latencies.
  void set_number(std::size_t region, std::uint16_t number) noexcept {
    asked_[region].region = number;
  }

  /// Sets the distances for the next prediction to those from a place. Returns whether they are
  /// exact.
  bool measure_distances(const model::coordinates& from) {
    const bool is_exact = exact_left_ >= regions_.size();
    if (is_exact) exact_left_ -= regions_.size();
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const auto& to = regions_[i]->datacenter_coord;
      const auto metres =
          is_exact ? model::geodesic_distance_m(from, to) : model::great_circle_m(from, to);
      // Rounded as in the cache, so that a figure is the same whether or not it comes from there.
      asked_[i].distance_m = static_cast<double>(static_cast<float>(metres));
    }
    return is_exact;
  }
  void set_distances(std::span<const float> metres) noexcept {
    for (std::size_t i = 0; i < asked_.size(); ++i)
      asked_[i].distance_m = static_cast<double>(metres[i]);
  }
  std::vector<float> distances() const {
    std::vector<float> metres;
    metres.reserve(asked_.size());
    for (const auto& each : asked_)
      metres.push_back(static_cast<float>(each.distance_m));
    return metres;
  }

  /// Predicts a player's round trips. If the cells have no place, distances do not matter.
  void predict(std::size_t player, const model::latency_snapshot& by,
               const model::client_cells& cells) {
    for (std::size_t at = 0; at < asked_.size(); at += model::latency_region_limit) {
      const auto count = std::min(asked_.size() - at, model::latency_region_limit);
      // The client that sends the request may not be the player at the address.
      model::predict_latencies(by, cells, std::span{asked_}.subspan(at, count),
                               std::span{predictions_}.subspan(at, count),
                               model::network_rows::shown);
    }
    auto* const row = &figures_us_[player * regions_.size()];
    for (std::size_t i = 0; i < predictions_.size(); ++i)
      if (predictions_[i].source != model::latency_source::nothing)
        row[i] = model::to_round_trip_us(predictions_[i].milliseconds);
  }

  /// Sets the place of a player, if it is known.
  void set_place(std::size_t player, const std::optional<model::coordinates>& where) {
    places_[player] = where;
  }

  /// Uses a player's own measurements, in ascending order of id like the regions, but for those
  /// that it cannot have measured.
  void take(std::size_t player, std::span<const model::measured_latency> latencies) {
    auto at = regions_.begin();
    for (const auto& each : latencies) {
      at = std::lower_bound(
          at, regions_.end(), each.region_id,
          [](const model::region* one, const std::string& id) { return one->region_id < id; });
      if (at == regions_.end()) return;
      if ((*at)->region_id != each.region_id) continue;
      if (!model::can_be_measured(each.milliseconds, places_[player], (*at)->datacenter_coord))
        continue;
      const auto region = static_cast<std::size_t>(at - regions_.begin());
      figures_us_[player * regions_.size() + region] = model::to_round_trip_us(each.milliseconds);
    }
  }

private:
  std::vector<const model::region*> regions_;
  /// A row of all regions for each player.
  std::vector<model::round_trip_us> figures_us_;
  std::vector<std::optional<model::coordinates>> places_;
  std::vector<model::region_distance> asked_;
  std::vector<model::latency_prediction> predictions_;
  std::size_t exact_left_ = exact_distances_limit;
};

void region_ranking_state::set_distances(group_members& of, const cache_key& key) {
  if (const auto* known = caches_.distances.get(key)) return of.set_distances(*known);
  if (!of.measure_distances(settings_.geoip->at(key.place))) return;
  auto made = of.distances();
  const auto bytes = made.size() * sizeof(float) + distances_overhead_bytes;
  caches_.distances.put(key, std::move(made), bytes);
}

void region_ranking_state::predict(group_members& of, const model::game_namespace* where,
                                   std::span<const model::group_player> players,
                                   std::size_t first) {
  std::array<model::ip_address, at_once> addresses;
  std::array<model::client_cells, at_once> cells;
  std::array<std::uint32_t, at_once> places{};
  std::size_t count = 0;
  for (const auto& each : players)
    if (each.address) addresses[count++] = *each.address;
  store::client_cells_of(settings_.geoip.get(), std::span{addresses}.first(count), cells, places);
  std::size_t next = 0;
  for (std::size_t i = 0; i < players.size(); ++i) {
    const auto& player = players[i];
    model::client_cells client;
    std::uint32_t place = 0;
    if (player.address) {
      client = cells[next];
      place = places[next++];
    }
    if (player.where) {
      client.where = player.where;
      of.measure_distances(*player.where);
    } else if (place != 0) {
      set_distances(of, key_of(where, place));
    }
    of.set_place(first + i, client.where);
    if (client.where || client.network) of.predict(first + i, latencies(), client);
  }
}

base::expected<std::string> region_ranking_state::rank(const rank_group& request) {
  const std::span<const model::group_player> players{request.group.players};
  const auto* where = namespace_for(request.origin_host, request.namespace_id);
  group_members members{model::regions_of(*catalog_, where), players.size()};
  const auto& regions = members.regions();
  if (players.size() * regions.size() > group_figures_limit)
    return base::fail(base::errc::query_invalid,
                      "`players` has " + std::to_string(players.size()) +
                          " players, but there are " + std::to_string(regions.size()) +
                          " regions. Send at most " +
                          std::to_string(group_figures_limit / regions.size()) + " players.");
  for (std::size_t i = 0; i < regions.size(); ++i)
    members.set_number(i, region_numbers_[position_of(*regions[i])]);
  for (std::size_t at = 0; at < players.size() && !regions.empty(); at += at_once)
    predict(members, where, players.subspan(at, std::min(players.size() - at, at_once)), at);
  for (std::size_t i = 0; i < players.size(); ++i)
    members.take(i, players[i].latencies);
  return render(members, request.group);
}

std::string region_ranking_state::render(const group_members& of,
                                         const model::group_request& group) const {
  const auto& players = group.players;
  const auto order = model::rank_for_group(of.figures_us(), players.size(), group.strategy,
                                           model::to_round_trip_us(group.fair_within_ms));
  model::json_writer json;
  json.object().name("regions").array();
  for (const auto& each : order.regions) {
    auto head = (*fragments_)[position_of(*of.regions()[each.region])].head();
    head.remove_suffix(model::distance_begin.size());
    write_ms(json.raw(head).name("worst_ms"), each.worst_us);
    write_ms(json.name("mean_ms"), each.mean_us);
    json.name("players").array();
    for (std::size_t i = 0; i < players.size(); ++i)
      write_ms(json, of.figures_us(i)[each.region]);
    json.end_array().end_object();
  }
  json.end_array().name("unknown_players").array();
  for (const auto player : order.unknown_players)
    json.number(player);
  json.end_array().name("player_ids").array();
  for (const auto& each : players)
    each.id ? json.text(*each.id) : json.null();
  return json.end_array().end_object().take();
}

} // namespace matchcloud::actors
