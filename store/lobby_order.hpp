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

// Orders in which a store accepts very many lobbies with the least reading and writing; every order
// gives correct results. The entries have a member `record`. Sorting is in place and takes O(n log
// n).

/// Approximate number of lobbies that one `lobby_sink::merge` takes.
inline constexpr double merged_at_once = 8'192;

/// The best order for `lobby_sink::check`, which looks lobbies up by id.
template <class Entry>
void order_for_checking(std::span<Entry> all) {
  std::sort(all.begin(), all.end(),
            [](const Entry& a, const Entry& b) { return a.record.lobby_id < b.record.lobby_id; });
}

/// For each attributes number, the position of its game in the order of games.
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

/// The best order for `lobby_sink::merge`. `attributes` are the results of `check_attributes` for
/// the attributes of the records.
template <class Entry>
void order_for_merging(std::span<Entry> all, const std::vector<attributes_check>& attributes) {
  const auto key = [order = game_order(attributes)](const Entry& each) {
    const auto& times = each.record.times;
    return std::tuple{order[each.record.attributes], model::duration_class(times), times.start_ts};
  };
  std::sort(all.begin(), all.end(),
            [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  // The table is clustered in this order, but its index by id is not, and a transaction writes each
  // page that it touches once. Splitting the table into stripes, each sorted in the index's order,
  // keeps a transaction within one part of the table and one part of the index; it touches the
  // fewest pages if both parts are about equally large.
  const auto stripe =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(all.size()) * merged_at_once));
  for (std::size_t first = 0; first < all.size(); first += stripe)
    order_for_checking(all.subspan(first, std::min(stripe, all.size() - first)));
}

} // namespace matchcloud::store
