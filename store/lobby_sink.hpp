#pragma once

#include "base/expected.hpp"
#include "model/audit/audit.hpp"
#include "model/lobbies/lobby.hpp"
#include "model/records/record_line.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace matchcloud::store {

/// Reports of lobbies, in the order in which they arrived.
using lobby_batch = std::span<const model::lobby_record>;

/// What happened to the lobbies at the front of a batch.
struct lobby_merge {
  struct rejection {
    /// Index in the batch.
    std::size_t index = 0;
    /// `conflict`, `namespace_unknown` or `region_unknown`.
    model::line_finding finding;
  };

  /// How many records, from the front of the batch, were processed; the rest is for the next call.
  /// 0 only for an empty batch.
  std::size_t taken = 0;
  /// How many of the records taken were new or had times that add to what was known.
  std::size_t accepted = 0;
  /// How many of the records taken were known already.
  std::size_t unchanged = 0;
  /// How long the transaction blocked other writers; 0 if nothing was accepted, or if another part
  /// of the same transaction reports it.
  std::chrono::nanoseconds lasted{0};
  /// The rejected records, in ascending order of index.
  std::vector<rejection> rejected;
};

/// What the store knows about lobby attributes.
struct attributes_check {
  /// The game that the attributes' namespace belongs to.
  model::uuid game_id;
  /// `namespace_unknown` or `region_unknown`, if one applies.
  std::optional<model::line_finding> finding;
};

/// One of several batches that are merged together.
struct merge_part {
  lobby_batch records;
  const model::lobby_attributes_table* attributes = nullptr;
  /// The run that its changes belong to, see `session::attribute`.
  model::audit_run_ptr run;
  /// The outcome.
  base::expected<lobby_merge> merged;
};

/// The role of storing reports of lobbies. See `session` for what the calls of all roles have in
/// common.
class lobby_sink {
public:
  virtual ~lobby_sink() = default;

  /// Merges lobbies from the front of `records` (see `model::merge`) in one transaction of at most
  /// about 200 ms; call it again with the rest. A lobby that is already known with other attributes
  /// is rejected. Each `record.attributes` is an index into `attributes`.
  virtual base::expected<lobby_merge> merge(lobby_batch records,
                                            const model::lobby_attributes_table& attributes) = 0;
  /// Merges each of `parts` as `merge` does, and sets its outcome. Parts can fail independently.
  /// An engine that waits for a disk or a server at each commit merges several in one
  /// transaction.
  virtual void merge_together(std::span<merge_part> parts) = 0;
  /// Returns what merging each of `records` on its own would do now. Writes nothing.
  virtual base::expected<lobby_merge> check(lobby_batch records,
                                            const model::lobby_attributes_table& attributes) = 0;
  /// Checks all `attributes` and returns the results in the same order.
  virtual base::expected<std::vector<attributes_check>>
  check_attributes(const model::lobby_attributes_table& attributes) = 0;
  /// Whether the store has any lobby; without one, `check` has nothing to compare with.
  virtual base::expected<bool> has_any() = 0;
};

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
