#include "actors/region_ranking/region_ranking.hpp"

#include "actors/news/messages.hpp"
#include "actors/request/messages.hpp"
#include "model/json/json_writer.hpp"
#include "model/regions/ranking.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace matchcloud::actors {

namespace {

/// Estimated overhead of a cache entry besides its listing: hash node, control block, and the
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
  if (namespace_id) {
    const auto* named = catalog_->find_namespace(*namespace_id);
    return named != nullptr ? named : default_namespace_;
  }
  if (!origin_host.empty()) {
    if (const auto* registered = catalog_->find_namespace_of_domain(origin_host)) return registered;
  }
  return default_namespace_;
}

void region_ranking_state::rank(std::span<const rank_regions* const> clients,
                                std::span<ranked> answers) {
  const auto count = clients.size();
  std::array<std::uint32_t, at_once> places{};
  if (settings_.geoip) {
    std::array<model::ip_address, at_once> addresses;
    std::ranges::transform(clients, addresses.begin(),
                           [](const auto* each) { return each->client; });
    settings_.geoip->find(std::span{addresses}.first(count), places);
  }
  std::array<const model::game_namespace*, at_once> where{};
  std::array<cache_key, at_once> keys{};
  for (std::size_t i = 0; i < count; ++i) {
    where[i] = namespace_for(clients[i]->origin_host, clients[i]->namespace_id);
    keys[i] = key_of(where[i], places[i]);
    caches_.listings.prefetch_index(keys[i]);
  }
  for (std::size_t i = 0; i < count; ++i)
    caches_.listings.prefetch_entry(keys[i]);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto* known = caches_.listings.get(keys[i])) known->listing->prefetch();
  for (std::size_t i = 0; i < count; ++i) {
    auto found = listed(where[i], keys[i]);
    if (settings_.places != nullptr) settings_.places->count(found.cell);
    if (!clients[i]->measured.empty()) {
      answers[i].listing = measured_first(found.listing, clients[i]->measured);
      continue;
    }
    if (clients[i]->gzip) answers[i].gzip = compressed(keys[i], *found.listing);
    answers[i].listing = std::move(found.listing);
  }
}

std::string region_ranking_state::explain(const explain_ranking& request) const {
  auto source = place_source::coordinates;
  auto location = request.at;
  if (!location) {
    source = place_source::address;
    location = settings_.geoip ? settings_.geoip->locate(request.client) : std::nullopt;
  }
  if (!location) {
    source = settings_.fallback ? place_source::fallback : place_source::unknown;
    location = settings_.fallback;
  }
  model::json_writer json;
  json.object().name("place");
  if (location) {
    std::string latitude;
    std::string longitude;
    model::append_shortest(latitude, location->latitude);
    model::append_shortest(longitude, location->longitude);
    json.object().name("latitude").raw(latitude).name("longitude").raw(longitude).end_object();
  } else {
    json.null();
  }
  std::string listing;
  listing_for(namespace_for({}, request.namespace_id), location)->append_json(listing);
  return json.name("source").text(name_of(source)).name("listing").raw(listing).end_object().take();
}

region_ranking_state::cache_key region_ranking_state::key_of(const model::game_namespace* where,
                                                             std::uint32_t place) const {
  const bool of_its_own = where != nullptr && where->regions;
  const auto* first = catalog_->namespaces.data();
  return {of_its_own ? static_cast<std::uint32_t>(where - first) + 1 : 0, place};
}

region_ranking_state::cached_listing
region_ranking_state::listed(const model::game_namespace* where, const cache_key& key) {
  auto* metrics = settings_.metrics;
  if (const auto* known = caches_.listings.get(key)) {
    if (metrics != nullptr) metrics->hits.add();
    return *known;
  }
  const auto location =
      key.place != 0 ? std::optional{settings_.geoip->at(key.place)} : std::nullopt;
  cached_listing made{listing_for(where, location ? location : settings_.fallback),
                      place_counts::cell_of(location)};
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

region_ranking_state::listing_ptr
region_ranking_state::listing_for(const model::game_namespace* where,
                                  const std::optional<model::coordinates>& location) const {
  std::vector<model::listed_region> rows;
  for (const auto& [region, distance_m] :
       model::rank_regions(model::regions_of(*catalog_, where), location))
    rows.push_back({static_cast<std::size_t>(region - catalog_->regions.data()), distance_m});
  return std::make_shared<const model::region_listing>(fragments_, rows);
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
      [this](const rank_many& requests) -> no_response {
        for (const auto& each : requests.all)
          serve(each, [this](const rank_regions& request) { on(request); });
        rank_all();
        return {};
      },
      serving<rank_regions>([this](const rank_regions& request) {
        on(request);
        rank_all();
      }),
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
      [this](const catalog_changed& news) { discard(state_.set_catalog(news.snapshot)); },
      [this](const geoip_changed& news) { discard(state_.set_geoip(news.geoip)); },
  };
}

void region_ranking::on(const rank_regions& request) {
  waiting_.push_back(&request);
  // What is traced is not made to look slow by those that it would wait for.
  const bool is_traced = request.ticket && request.ticket->trace.is_sampled();
  if (is_traced || waiting_.size() == region_ranking_state::at_once) rank_all();
}

void region_ranking::rank_all() {
  if (waiting_.empty()) return;
  std::array<region_ranking_state::ranked, region_ranking_state::at_once> ranked;
  const auto front = caf::actor_cast<caf::actor>(current_sender());
  with_claimed(waiting_, [&] { state_.rank(waiting_, ranked); });
  const auto answer = [&](std::size_t i) {
    return regions_ranked{waiting_[i]->exchange, std::move(ranked[i].listing),
                          std::move(ranked[i].gzip)};
  };
  // Faults may strike each answer by itself.
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
