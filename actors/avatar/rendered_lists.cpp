#include "actors/avatar/rendered_lists.hpp"

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

std::uint64_t rendered_lists::moves() const {
  const std::lock_guard lock{mutex_};
  return moves_;
}

void rendered_lists::keep(const model::uuid& game_id, rendered_list list,
                          std::uint64_t moves_before) {
  std::vector<rendered_list> evicted; // freed without the lock
  const std::lock_guard lock{mutex_};
  if (moves_ != moves_before) return;
  const auto bytes = list.json->capacity() + entry_overhead_bytes;
  if (const auto* const old = cache_.get(game_id)) evicted.push_back(*old);
  cache_.put(game_id, std::move(list), bytes,
             [&](rendered_list&& each) { evicted.push_back(std::move(each)); });
  count_bytes();
}

std::shared_ptr<const void> rendered_lists::forget(const store::moved_games& moved) {
  const std::lock_guard lock{mutex_};
  ++moves_;
  if (moved.all) {
    auto all = std::make_shared<const cache>(std::exchange(cache_, cache{limit_bytes_}));
    count_bytes();
    return all;
  }
  std::vector<rendered_list> dropped;
  for (const auto& each : moved.games) {
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
