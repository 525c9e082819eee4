#include "actors/region_ranking/region_ranking.hpp"

#include "actors/news/messages.hpp"
#include "actors/request/messages.hpp"
#include "model/latency/predictor.hpp"
#include "model/regions/ranking.hpp"
#include "store/geoip/geoip.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace matchcloud::actors {

namespace {

/// Estimated overhead of a cache entry, not counting its listing: hash node, control block, and the
/// allocator's overhead for four allocations.
constexpr std::size_t cache_entry_overhead_bytes = 208;

} // namespace

region_ranking_state::region_ranking_state(ranking_settings settings,
                                           model::catalog_snapshot catalog)
    : settings_{std::move(settings)}, caches_{settings_.cache_limit_bytes} {
  set_catalog(std::move(catalog));
}

std::shared_ptr<const void> region_ranking_state::set_catalog(model::catalog_snapshot catalog) {
  if (catalog == catalog_) return nullptr; // sent again because the subscribers changed
  catalog_ = std::move(catalog);
  auto old = take_caches();
  number_regions();
  fragments_ = std::make_shared<const model::region_fragments>(catalog_->regions);
  default_namespace_ = settings_.default_namespace
                           ? catalog_->find_namespace(*settings_.default_namespace)
                           : nullptr;
  return old;
}

std::shared_ptr<const void>
region_ranking_state::set_geoip(std::shared_ptr<const store::geoip> geoip) {
  if (geoip == settings_.geoip) return nullptr;
  settings_.geoip = std::move(geoip);
  return take_caches();
}

std::shared_ptr<const void>
region_ranking_state::set_latencies(std::shared_ptr<const model::latency_snapshot> latencies) {
  if (latencies == settings_.latencies) return nullptr;
  const bool is_first = settings_.latencies == nullptr;
  auto old = std::exchange(settings_.latencies, std::move(latencies));
  ++snapshots_;
  number_regions();
  // Until now all listings were ordered by distance.
  if (is_first && ranks_by_latency()) return take_caches();
  return old;
}

const model::latency_snapshot& region_ranking_state::latencies() const noexcept {
  static const model::latency_snapshot nothing_known;
  return settings_.latencies ? *settings_.latencies : nothing_known;
}

void region_ranking_state::number_regions() {
  const auto& latencies = settings_.latencies;
  region_numbers_.assign(catalog_->regions.size(), model::region_distance::unnumbered);
  for (std::size_t i = 0; latencies && i < region_numbers_.size(); ++i) {
    const auto& each = catalog_->regions[i];
    region_numbers_[i] = latencies->field->number_of({each.region_id, each.datacenter_coord})
                             .value_or(model::region_distance::unnumbered);
  }
}

std::shared_ptr<const void> region_ranking_state::take_caches() {
  if (settings_.metrics != nullptr) {
    settings_.metrics->bytes.set(0);
    settings_.metrics->compressed_bytes.set(0);
  }
  return std::make_shared<const caches>(
      std::exchange(caches_, caches{settings_.cache_limit_bytes}));
}

const model::game_namespace*
region_ranking_state::namespace_for(const std::string& origin_host,
                                    const std::optional<model::uuid>& namespace_id) const {
  return catalog_->namespace_of_client(namespace_id, origin_host, default_namespace_);
}

void region_ranking_state::rank(std::span<const rank_regions* const> clients,
                                std::span<ranked> answers) {
  const auto count = clients.size();
  if (ranks_by_latency()) now_ = settings_.clock->now();
  auto& [addresses, places, where, keys] = batch_;
  if (settings_.geoip) {
    std::ranges::transform(clients, addresses.begin(),
                           [](const auto* each) { return each->client; });
    settings_.geoip->find(std::span{addresses}.first(count), places);
  } else {
    places = {};
  }
  for (std::size_t i = 0; i < count; ++i) {
    where[i] = namespace_for(clients[i]->origin_host, clients[i]->namespace_id);
    keys[i] = key_of(where[i], places[i]);
    if (ranks_by_latency()) keys[i].group = group_of(clients[i]->client);
    caches_.listings.prefetch_index(keys[i]);
  }
  for (std::size_t i = 0; i < count; ++i)
    caches_.listings.prefetch_entry(keys[i]);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto* known = caches_.listings.get(keys[i])) known->listing->prefetch();
  for (std::size_t i = 0; i < count; ++i) {
    auto found = listed(where[i], keys[i], clients[i]->client);
    if (settings_.places != nullptr) settings_.places->count(found.cell);
    if (clients[i]->details.any()) {
      answers[i].detailed = detailed(where[i], *clients[i]);
      continue;
    }
    if (!clients[i]->measured.empty()) {
      const auto place =
          places[i] != 0 ? std::optional{settings_.geoip->at(places[i])} : std::nullopt;
      answers[i].listing = measured_first(found.listing, possible(clients[i]->measured, place));
      continue;
    }
    if (clients[i]->gzip) answers[i].gzip = compressed(keys[i], *found.listing);
    answers[i].listing = std::move(found.listing);
  }
}

region_ranking_state::cache_key region_ranking_state::key_of(const model::game_namespace* where,
                                                             std::uint32_t place) const {
  const bool of_its_own = where != nullptr && where->regions;
  const auto* first = catalog_->namespaces.data();
  return {of_its_own ? static_cast<std::uint32_t>(where - first) + 1 : 0, place};
}

region_ranking_state::cached_listing
region_ranking_state::listed(const model::game_namespace* where, const cache_key& key,
                             const model::ip_address& client) {
  auto* metrics = settings_.metrics;
  if (const auto* known = caches_.listings.get(key); known != nullptr && is_fresh(*known)) {
    if (metrics != nullptr) metrics->hits.add();
    return *known;
  }
  const auto location =
      key.place != 0 ? std::optional{settings_.geoip->at(key.place)} : std::nullopt;
  client_at at{location ? location : settings_.fallback, {}};
  if (ranks_by_latency()) at.cells = store::client_cells_of(settings_.geoip.get(), client);
  cached_listing made{listing_for(where, at), place_counts::cell_of(location), snapshots_, now_};
  caches_.compressed.erase(key); // it belongs to the replaced listing
  const auto evicted =
      caches_.listings.put(key, made, made.listing->memory_bytes() + cache_entry_overhead_bytes);
  if (metrics != nullptr) {
    metrics->misses.add();
    metrics->evictions.add(evicted);
    metrics->bytes.set(static_cast<std::int64_t>(caches_.listings.used_bytes()));
  }
  return made;
}

region_ranking_state::text_ptr
region_ranking_state::compressed(const cache_key& key, const model::region_listing& listing) {
  const auto most_bytes = settings_.cache_limit_bytes / compressed_part;
  if (!listing.is_compressible() || listing.gzip_bytes() + cache_entry_overhead_bytes > most_bytes)
    return nullptr;
  auto* metrics = settings_.metrics;
  if (const auto* kept = caches_.compressed.get(key)) {
    if (metrics != nullptr) metrics->compressed_hits.add();
    return *kept;
  }
  auto& last = caches_.asked_last[key.place % places_remembered];
  if (std::exchange(last, key) != key) return nullptr;
  last.reset();
  std::string text;
  listing.append_gzip(text);
  const auto bytes = text.capacity() + cache_entry_overhead_bytes;
  auto made = std::make_shared<const std::string>(std::move(text));
  caches_.compressed.put(key, made, bytes);
  if (metrics != nullptr)
    metrics->compressed_bytes.set(static_cast<std::int64_t>(caches_.compressed.used_bytes()));
  return made;
}

model::latency_cell region_ranking_state::group_of(const model::ip_address& client) const noexcept {
  const auto network = model::network_cell(store::looked_up(client));
  return settings_.latencies->find(network).empty() ? model::latency_cell{} : network;
}

region_ranking_state::client_at
region_ranking_state::place_of(const model::ip_address& client) const noexcept {
  client_at at{std::nullopt, store::client_cells_of(settings_.geoip.get(), client)};
  at.location = at.cells.where ? at.cells.where : settings_.fallback;
  return at;
}

std::vector<model::region_distance>
region_ranking_state::numbered(std::span<const model::ranked_region> rows) const {
  std::vector<model::region_distance> regions;
  for (const auto& each : rows.first(std::min(rows.size(), model::latency_region_limit)))
    regions.push_back({region_numbers_[position_of(*each.where)], each.distance_m});
  return regions;
}

std::vector<model::latency_prediction>
region_ranking_state::predicted(std::span<const model::region_distance> regions,
                                const client_at& client, model::network_rows which) const {
  auto cells = client.cells;
  cells.where = client.location;
  std::vector<model::latency_prediction> made(regions.size());
  model::predict_latencies(latencies(), cells, regions, made, which);
  return made;
}

std::vector<model::latency_prediction>
region_ranking_state::predicted_for(std::span<const model::ranked_region> rows,
                                    const client_at& client) const {
  return predicted(numbered(rows), client, model::network_rows::shown);
}

std::vector<model::ranked_region>
region_ranking_state::ranked_for(const model::game_namespace* where,
                                 const client_at& client) const {
  auto rows = model::rank_regions(model::regions_of(*catalog_, where), client.location);
  if (!ranks_by_latency()) return rows;
  const auto regions = numbered(rows);
  std::vector<std::uint16_t> order;
  model::rank_by_latency(regions, predicted(regions, client, model::network_rows::all), order);
  // The rest, which are the farthest, stay where they are.
  const auto by_distance = rows;
  for (std::size_t i = 0; i < order.size(); ++i)
    rows[i] = by_distance[order[i]];
  return rows;
}

region_ranking_state::listing_ptr
region_ranking_state::listed(std::span<const model::ranked_region> rows) const {
  std::vector<model::listed_region> regions;
  for (const auto& [region, distance_m] : rows)
    regions.push_back({position_of(*region), distance_m});
  return std::make_shared<const model::region_listing>(fragments_, regions);
}

region_ranking_state::listing_ptr
region_ranking_state::listing_for(const model::game_namespace* where,
                                  const client_at& client) const {
  return listed(ranked_for(where, client));
}

std::vector<model::measured_latency>
region_ranking_state::possible(std::span<const model::measured_latency> measured,
                               const std::optional<model::coordinates>& at,
                               std::vector<std::string>* left_out) const {
  std::vector<model::measured_latency> kept;
  for (const auto& each : measured) {
    const auto* found = catalog_->find_region(each.region_id);
    if (found != nullptr ? model::can_be_measured(each.milliseconds, at, found->datacenter_coord)
                         : each.milliseconds > 0)
      kept.push_back(each);
    else if (left_out != nullptr)
      left_out->push_back(each.region_id);
  }
  return kept;
}

region_ranking_state::listing_ptr
region_ranking_state::measured_first(const listing_ptr& listing,
                                     std::span<const model::measured_latency> measured) const {
  std::vector<std::string_view> ids;
  ids.reserve(listing->size());
  for (std::size_t i = 0; i < listing->size(); ++i)
    ids.push_back(catalog_->regions[listing->position(i)].region_id);
  const auto order = model::order_by_latency(ids, measured);
  if (order.empty()) return listing;
  return std::make_shared<const model::region_listing>(listing->reordered(order));
}

region_ranking::region_ranking(caf::actor_config& cfg, ranking_settings settings,
                               model::catalog_snapshot catalog)
    : resident{cfg,
               {base::fault_point::region_ranking_receive,
                base::fault_point::region_ranking_reply}},
      state_{std::move(settings), std::move(catalog)} {}

caf::behavior region_ranking::make_behavior() {
  be_strict();
  return {
      serving<rank_regions>([this](const rank_regions& request) {
        on(request);
        rank_all();
      }),
      [this](const rank_many& requests) -> no_response {
        for (const auto& each : requests.all)
          serve(each, [this](const rank_regions& request) { on(request); });
        rank_all();
        return {};
      },
      serving<explain_ranking>([this](const explain_ranking& request) {
        if (const auto& of = request.namespace_id; of && !state_.has_namespace(*of))
          return reply(
              caf::actor_cast<caf::actor>(current_sender()),
              operation_failed{request.exchange,
                               {base::errc::element_not_found,
                                "The catalog has no namespace " + model::to_string(*of) + "."}},
              request.ticket);
        reply(caf::actor_cast<caf::actor>(current_sender()),
              json_made{request.exchange,
                        std::make_shared<const std::string>(state_.explain(request))},
              request.ticket);
      }),
      serving<rank_group>([this](const rank_group& request) {
        auto made = state_.rank(request);
        if (!made)
          return reply(caf::actor_cast<caf::actor>(current_sender()),
                       operation_failed{request.exchange, made.error()}, request.ticket);
        reply(caf::actor_cast<caf::actor>(current_sender()),
              json_made{request.exchange, std::make_shared<const std::string>(*std::move(made))},
              request.ticket);
      }),
      [this](const catalog_changed& news) { discard(state_.set_catalog(news.snapshot)); },
      [this](const geoip_changed& news) { discard(state_.set_geoip(news.geoip)); },
      [this](const latencies_changed& news) { discard(state_.set_latencies(news.latencies)); },
  };
}

void region_ranking::on(const rank_regions& request) {
  waiting_.push_back(&request);
  // A traced request is not batched, so that waiting for others does not make it look slow.
  const bool is_traced = request.ticket && request.ticket->trace.is_sampled();
  if (is_traced || waiting_.size() == region_ranking_state::at_once) rank_all();
}

void region_ranking::rank_all() {
  if (waiting_.empty()) return;
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  with_claimed(waiting_, [&] { state_.rank(waiting_, ranked_); });
  const auto answer = [&](std::size_t i) {
    auto& [listing, gzip, detailed] = ranked_[i];
    return regions_ranked{waiting_[i]->exchange, std::move(listing), std::move(gzip),
                          std::move(detailed)};
  };
  // Faults may hit each answer separately.
  if (waiting_.size() == 1 || base::faults::armed(base::fault_point::region_ranking_reply)) {
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      reply(front, answer(i), waiting_[i]->ticket);
  } else {
    many_ranked answers;
    answers.all.reserve(waiting_.size());
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      answers.all.push_back(answer(i));
    send(front, std::move(answers));
  }
  waiting_.clear();
}

void region_ranking::discard(std::shared_ptr<const void> old) {
  if (old) send(caf::actor_cast<caf::actor>(current_sender()), discarded{std::move(old)});
}

} // namespace matchcloud::actors
