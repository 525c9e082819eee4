#include "model/catalog/catalog.hpp"

#include "base/characters.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

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

namespace {

bool read_degrees(std::string_view text, double& into) noexcept {
  const auto* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, into);
  return status == std::errc{} && stop == end;
}

} // namespace

std::optional<coordinates> parse_coordinates(std::string_view latitude,
                                             std::string_view longitude) noexcept {
  coordinates at;
  const bool are_numbers =
      read_degrees(latitude, at.latitude) && read_degrees(longitude, at.longitude);
  return are_numbers && is_on_earth(at) ? std::optional{at} : std::nullopt;
}

namespace {

/// Games that a message lists.
constexpr std::size_t listed_limit = 10;

using games = std::vector<const game*>;

template <class Same>
games games_with(const catalog& in, Same is_same) {
  games found;
  for (const auto& each : in.games)
    if (is_same(each.display_name)) found.push_back(&each);
  return found;
}

std::string describe_game(const game& which) {
  return quoted_excerpt(which.display_name) + " (" + to_string(which.game_id) + ")";
}

/// The descriptions of the first of `all`.
template <class List, class Describe>
std::string listed(const List& all, Describe describe_each) {
  if (all.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), listed_limit); ++i)
    text.append(text.empty() ? "" : ", ").append(describe_each(all[i]));
  if (all.size() > listed_limit)
    text += " and " + std::to_string(all.size() - listed_limit) + " more";
  return text;
}

base::error no_such_name(const catalog& in, std::string_view text) {
  std::vector<std::string_view> names;
  for (const auto& each : in.games)
    names.push_back(each.display_name);
  auto why = "no game has the name or id " + quoted_excerpt(text);
  const auto close = closest_name(text, names);
  const auto meant = std::ranges::find(in.games, close, &game::display_name);
  why += close.empty() ? "; " + list_games(in) : "; did you mean " + describe_game(*meant) + "?";
  return {base::errc::game_not_found, why};
}

} // namespace

base::expected<uuid> find_meant_game(const catalog& in, std::string_view text) {
  if (const auto id = parse_uuid(text)) return *id;
  auto found = games_with(in, [text](const std::string& name) { return name == text; });
  if (found.empty())
    found = games_with(
        in, [text](const std::string& name) { return base::equal_ignoring_case(name, text); });
  if (found.empty()) return tl::unexpected(no_such_name(in, text));
  if (found.size() > 1)
    return base::fail(base::errc::game_not_found,
                      quoted_excerpt(text) + " is the name of several games; use the id of one: " +
                          listed(found, [](const game* each) { return describe_game(*each); }));
  return found.front()->game_id;
}

std::string list_games(const catalog& in) {
  return "games: " + listed(in.games, describe_game);
}

std::string list_namespaces(const catalog& in) {
  return "namespaces: " + listed(in.namespaces, [&](const game_namespace& each) {
           const auto* of = in.find_game(each.game_id);
           return quoted_excerpt(each.name) +
                  (of ? " of " + quoted_excerpt(of->display_name) : "") + " (" +
                  to_string(each.namespace_id) + ")";
         });
}

} // namespace matchcloud::model
