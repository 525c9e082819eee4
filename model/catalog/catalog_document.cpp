#include "model/catalog/catalog_document.hpp"

#include "model/records/finding_list.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace matchcloud::model {

namespace {

/// The union of both lists in ascending order of `id`; of elements with the same id, the newest
/// stays.
template <class T, class Id>
std::vector<T> upserted(std::vector<T> list, const std::vector<T>& newer, Id id) {
  list.insert(list.end(), newer.begin(), newer.end());
  // Stable, so that the newest of equal elements is last; `unique` keeps it by going backwards.
  std::stable_sort(list.begin(), list.end(), [id](const T& a, const T& b) {
    return std::invoke(id, a) < std::invoke(id, b);
  });
  const auto same_id = [id](const T& a, const T& b) {
    return std::invoke(id, a) == std::invoke(id, b);
  };
  const auto kept = std::unique(list.rbegin(), list.rend(), same_id);
  list.erase(list.begin(), kept.base());
  return list;
}

void sort_unique(std::vector<std::string>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

std::string place_of(const game_namespace& each) {
  return "namespace " + to_string(each.namespace_id);
}

/// Checks that the document's namespaces refer to games and regions of `merged`, and that they stay
/// with their games in `before`.
void check_references(const catalog& before, const catalog& merged,
                      const std::vector<game_namespace>& named, finding_list& findings) {
  for (const auto& each : named) {
    const auto place = place_of(each);
    if (!merged.find_game(each.game_id))
      findings.add(place, "game " + to_string(each.game_id) +
                              " is neither in the document nor in the store");
    const auto* old = before.find_namespace(each.namespace_id);
    if (old && old->game_id != each.game_id)
      findings.add(place, "belongs to game " + to_string(old->game_id) +
                              " and cannot move to game " + to_string(each.game_id));
    if (!each.regions) continue;
    for (const auto& region_id : *each.regions)
      if (!merged.find_region(region_id))
        findings.add(place,
                     "region \"" + region_id + "\" is neither in the document nor in the store");
  }
}

struct registration {
  std::string_view domain;
  const game_namespace* owner;
};

void check_domains(const catalog& merged, finding_list& findings) {
  std::vector<registration> registrations;
  for (const auto& each : merged.namespaces)
    for (const auto& domain : each.domains)
      registrations.push_back({domain, &each});
  std::stable_sort(
      registrations.begin(), registrations.end(),
      [](const registration& a, const registration& b) { return a.domain < b.domain; });
  const auto same_domain = [](const registration& a, const registration& b) {
    return a.domain == b.domain;
  };
  auto at = registrations.begin();
  while ((at = std::adjacent_find(at, registrations.end(), same_domain)) != registrations.end()) {
    const auto& first = *at++;
    findings.add(place_of(*at->owner), "domain \"" + std::string{first.domain} +
                                           "\" is already registered by " + place_of(*first.owner) +
                                           "; a domain can have one namespace");
  }
}

} // namespace

base::expected<catalog> merge(const catalog& current, const catalog_document& document) {
  auto named = document.namespaces;
  for (auto& each : named) {
    sort_unique(each.domains);
    if (each.regions) sort_unique(*each.regions);
  }
  catalog merged;
  merged.revision = current.revision;
  merged.regions = upserted(current.regions, document.regions, &region::region_id);
  merged.tiers = upserted(current.tiers, document.tiers, std::identity{});
  merged.games = upserted(current.games, document.games, &game::game_id);
  merged.namespaces = upserted(current.namespaces, named, &game_namespace::namespace_id);

  finding_list findings;
  if (merged.regions.size() > std::max(catalog_region_limit, current.regions.size()))
    findings.add("regions", "there would be " + std::to_string(merged.regions.size()) +
                                ", and a catalog has at most " +
                                std::to_string(catalog_region_limit) + "; remove some first");
  check_references(current, merged, named, findings);
  check_domains(merged, findings);
  if (!findings.empty()) return findings.failure();
  merged.index_domains();
  if (merged != current) ++merged.revision;
  return merged;
}

namespace {

/// The id 00000000-0000-4000-8000-0000000000NN.
uuid demo_id(std::uint8_t last_byte) {
  uuid id;
  id.bytes[6] = 0x40;
  id.bytes[8] = 0x80;
  id.bytes[15] = last_byte;
  return id;
}

region demo_region(const char* id, const char* city, double latitude, double longitude) {
  return {id, city, "Demo Cloud", {latitude, longitude}};
}

catalog_document make_demo_catalog() {
  catalog_document demo;
  // Twelve cities with large datacenters, on six continents; coordinates of the city centers in
  // degrees.
  demo.regions = {
      demo_region("bom", "Mumbai", 19.076, 72.8777),
      demo_region("fra", "Frankfurt", 50.1109, 8.6821),
      demo_region("gru", "Sao Paulo", -23.5505, -46.6333),
      demo_region("iad", "Ashburn", 39.0438, -77.4874),
      demo_region("jnb", "Johannesburg", -26.2041, 28.0473),
      demo_region("lax", "Los Angeles", 34.0522, -118.2437),
      demo_region("lon", "London", 51.5074, -0.1278),
      demo_region("los", "Lagos", 6.5244, 3.3792),
      demo_region("nrt", "Tokyo", 35.6762, 139.6503),
      demo_region("scl", "Santiago", -33.4489, -70.6693),
      demo_region("sin", "Singapore", 1.3521, 103.8198),
      demo_region("syd", "Sydney", -33.8688, 151.2093),
  };
  demo.tiers = default_tiers();
  demo.games = {{demo_id(0x01), "Demo Game"}};
  demo.namespaces = {
      {demo_id(0x11), demo_id(0x01), "prod", {"demo-game.example"}, std::nullopt},
      {demo_id(0x12), demo_id(0x01), "staging", {"staging.demo-game.example"}, std::nullopt},
  };
  return demo;
}

} // namespace

const catalog_document& demo_catalog() {
  static const catalog_document demo = make_demo_catalog();
  return demo;
}

} // namespace matchcloud::model
