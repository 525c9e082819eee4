#include "model/catalog/catalog_element.hpp"
#include "model/text/counts.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <vector>

namespace matchcloud::model {

namespace {

/// The most references to an element that an error names.
constexpr std::size_t named_limit = 10;

bool refers(const game_namespace& each, const element_key& to) {
  if (to.kind() == element_kind::game) return each.game_id == to.uuid();
  return to.kind() == element_kind::region && each.regions &&
         std::ranges::binary_search(*each.regions, to.text());
}

/// Fails with `still_referred` if a namespace refers to `key`.
base::expected<void> check_unreferred(const catalog& in, const element_key& key) {
  std::size_t count = 0;
  std::string named;
  for (const auto& each : in.namespaces) {
    if (!refers(each, key) || ++count > named_limit) continue;
    named.append(count == 1 ? "" : ", ")
        .append(quoted_excerpt(each.name))
        .append(" (" + to_string(each.namespace_id) + ")");
  }
  if (count == 0) return {};
  if (count > named_limit) named += " and " + std::to_string(count - named_limit) + " more";
  const bool is_game = key.kind() == element_kind::game;
  auto detail = key.describe() + (is_game ? " has " : " is listed by ") +
                counted(count, "namespace") + ": " + named + ". ";
  detail += is_game ? "Remove them first."
                    : "First remove it from their regions, or remove the namespaces.";
  return base::fail(base::errc::still_referred, std::move(detail));
}

void erase(catalog& from, const element_key& key) {
  switch (key.kind()) {
  case element_kind::region:
    std::erase_if(from.regions, [&](const region& r) { return r.region_id == key.text(); });
    return;
  case element_kind::tier: std::erase(from.tiers, key.text()); return;
  case element_kind::game:
    std::erase_if(from.games, [&](const game& g) { return g.game_id == key.uuid(); });
    return;
  case element_kind::game_namespace:
    std::erase_if(from.namespaces,
                  [&](const game_namespace& n) { return n.namespace_id == key.uuid(); });
  }
}

} // namespace

base::expected<catalog> without(const catalog& current, const element_key& key) {
  if (const auto found = find_element(current, key); !found) return tl::unexpected(found.error());
  if (auto unreferred = check_unreferred(current, key); !unreferred)
    return tl::unexpected(unreferred.error());
  catalog result = current;
  erase(result, key);
  result.index_domains();
  ++result.revision;
  return result;
}

} // namespace matchcloud::model
