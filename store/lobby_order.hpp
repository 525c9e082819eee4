#pragma once

#include "model/lobbies/lobby_batch.hpp"
#include "store/lobby_merge.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace matchcloud::store {

// Orders in which a store takes very many lobbies with the least reading and writing; any order is
// right. They are of entries with a `record`, in O(n log n) and in place.

/// About as many lobbies as one `lobby_sink::merge` takes.
inline constexpr double merged_at_once = 8'192;

/// For `lobby_sink::check`, which looks them up by id.
template <class Entry>
void order_for_checking(std::span<Entry> all) {
  std::sort(all.begin(), all.end(),
            [](const Entry& a, const Entry& b) { return a.record.lobby_id < b.record.lobby_id; });
}

/// By number of attributes: the place of their game in the order of games.
inline std::vector<std::uint32_t> game_order(const std::vector<attributes_check>& attributes) {
  std::vector<model::uuid> games;
  games.reserve(attributes.size());
  for (const auto& each : attributes)
    games.push_back(each.game_id);
  std::sort(games.begin(), games.end());
  games.erase(std::unique(games.begin(), games.end()), games.end());
  std::vector<std::uint32_t> order;
  order.reserve(attributes.size());
  for (const auto& each : attributes) {
    const auto place = std::lower_bound(games.begin(), games.end(), each.game_id) - games.begin();
    order.push_back(static_cast<std::uint32_t>(place));
  }
  return order;
}

/// For `lobby_sink::merge`. `attributes` are what `check_attributes` says of those of the records.
template <class Entry>
void order_for_merging(std::span<Entry> all, const std::vector<attributes_check>& attributes) {
  const auto key = [order = game_order(attributes)](const Entry& each) {
    const auto& times = each.record.times;
    return std::tuple{order[each.record.attributes], model::duration_class(times), times.start_ts};
  };
  std::sort(all.begin(), all.end(),
            [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  // The table is in this order, the index by id in another. A transaction writes each page that it
  // touches once. With stripes of the table, each in the order of the index, it stays in a part of
  // both: fewest pages where both parts are alike.
  const auto stripe =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(all.size()) * merged_at_once));
  for (std::size_t first = 0; first < all.size(); first += stripe)
    order_for_checking(all.subspan(first, std::min(stripe, all.size() - first)));
}

} // namespace matchcloud::store
