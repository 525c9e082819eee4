#include "actors/avatar/rendered_lists.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace matchcloud::actors {

namespace {

/// Estimated overhead of a cached list: cache entry, index slot, control block and string header.
constexpr std::size_t entry_overhead_bytes = 256;

} // namespace

rendered_list rendered_lists::find(const model::uuid& game_id) {
  const std::lock_guard lock{mutex_};
  const auto* const found = cache_.get(game_id);
  return found != nullptr ? *found : rendered_list{};
}

void rendered_lists::begin(const model::uuid& game_id) {
  const std::lock_guard lock{mutex_};
  ++loading_[game_id].running;
}

void rendered_lists::end(const model::uuid& game_id, rendered_list loaded) {
  std::vector<rendered_list> evicted; // freed without the lock
  const std::lock_guard lock{mutex_};
  const auto load = loading_.find(game_id);
  const bool is_current = loaded.json && loaded.revision >= load->second.moved_to;
  if (--load->second.running == 0) loading_.erase(load);
  if (!is_current) return;
  const auto bytes = loaded.json->capacity() + entry_overhead_bytes;
  if (const auto* const old = cache_.get(game_id)) evicted.push_back(*old);
  cache_.put(game_id, std::move(loaded), bytes,
             [&](rendered_list&& each) { evicted.push_back(std::move(each)); });
  count_bytes();
}

std::shared_ptr<const void> rendered_lists::forget(const store::moved_games& moved) {
  const std::lock_guard lock{mutex_};
  if (moved.all) {
    for (auto& [game_id, load] : loading_)
      load.moved_to = INT64_MAX;
    auto all = std::make_shared<const cache>(std::exchange(cache_, cache{limit_bytes_}));
    count_bytes();
    return all;
  }
  std::vector<rendered_list> dropped;
  for (const auto& each : moved.games) {
    if (const auto load = loading_.find(each.game_id); load != loading_.end())
      load->second.moved_to = std::max(load->second.moved_to, each.revision);
    const auto* const kept = cache_.get(each.game_id);
    if (kept == nullptr || kept->revision >= each.revision) continue;
    dropped.push_back(*kept);
    cache_.erase(each.game_id);
  }
  count_bytes();
  return std::make_shared<const std::vector<rendered_list>>(std::move(dropped));
}

void rendered_lists::count_bytes() {
  metrics_->cached_bytes.set(static_cast<std::int64_t>(cache_.used_bytes()));
}

} // namespace matchcloud::actors
