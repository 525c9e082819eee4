#include "model/catalog/catalog.hpp"

#include <algorithm>
#include <functional>

namespace matchcloud::model {

namespace {

/// The element of a sorted list whose `id` is `wanted`; null if there is none. O(log n).
template <class List, class Key, class Id>
auto find_sorted(const List& list, const Key& wanted, Id id) -> const typename List::value_type* {
  const auto at = std::ranges::lower_bound(list, wanted, std::ranges::less{}, id);
  if (at == list.end() || std::invoke(id, *at) != wanted) return nullptr;
  return &*at;
}

} // namespace

const region* catalog::find_region(std::string_view region_id) const noexcept {
  return find_sorted(regions, region_id,
                     [](const region& r) { return std::string_view{r.region_id}; });
}

const game* catalog::find_game(const uuid& game_id) const noexcept {
  return find_sorted(games, game_id, &game::game_id);
}

const game_namespace* catalog::find_namespace(const uuid& namespace_id) const noexcept {
  return find_sorted(namespaces, namespace_id, &game_namespace::namespace_id);
}

const game_namespace* catalog::find_namespace_of_domain(std::string_view domain) const noexcept {
  const auto* owner = find_sorted(domain_owners, domain, [](const domain_owner& each) {
    return std::string_view{each.domain};
  });
  return owner ? &namespaces[owner->position] : nullptr;
}

const game_namespace* catalog::namespace_of_client(const std::optional<uuid>& of_token,
                                                   std::string_view origin_host,
                                                   const game_namespace* preset) const noexcept {
  const game_namespace* named = nullptr;
  if (of_token)
    named = find_namespace(*of_token);
  else if (!origin_host.empty())
    named = find_namespace_of_domain(origin_host);
  return named != nullptr ? named : preset;
}

void catalog::index_domains() {
  domain_owners.clear();
  for (std::size_t i = 0; i < namespaces.size(); ++i)
    for (const auto& domain : namespaces[i].domains)
      domain_owners.push_back({domain, i});
  std::ranges::sort(domain_owners, std::ranges::less{}, &domain_owner::domain);
}

bool operator==(const catalog& a, const catalog& b) {
  return a.revision == b.revision && a.regions == b.regions && a.tiers == b.tiers &&
         a.games == b.games && a.namespaces == b.namespaces;
}

const std::vector<std::string>& default_tiers() {
  static const std::vector<std::string> tiers{"basic-1d1", "basic-1d16", "basic-1d2", "basic-1d4",
                                              "basic-1d8", "basic-2d1",  "basic-4d1"};
  return tiers;
}

base::error no_such_game(const uuid& game_id) {
  return {base::errc::game_not_found,
          "There is no game " + to_string(game_id) + ". Check the game_id in the path."};
}

} // namespace matchcloud::model
