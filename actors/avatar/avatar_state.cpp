#include "actors/avatar/avatar_state.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

/// Estimated overhead of a cached list: list node, hash node, control block and string header.
constexpr std::size_t cache_entry_overhead_bytes = 256;

void append(std::vector<waiter>& to, std::vector<waiter>&& more) {
  for (auto& each : more)
    to.push_back(std::move(each));
}

} // namespace

std::shared_ptr<const list_offer> avatar_state::find(const model::uuid& game_id) {
  const auto* cached = cache_.get(game_id);
  if (!cached) return nullptr;
  metrics_->cache_hits.add();
  return cached->offer.get();
}

void avatar_state::wait(const model::uuid& game_id, waiter who) {
  const auto [found, is_new] = loads_.try_emplace(game_id);
  auto& to = found->second.moved_to > 0 ? found->second.late : found->second.waiters;
  to.push_back(std::move(who));
  if (is_new) queue_.push_back(game_id);
}

std::optional<model::uuid> avatar_state::next() const {
  if (loading_ || queue_.empty()) return std::nullopt;
  return queue_.front();
}

void avatar_state::begin() {
  loading_ = queue_.front();
  queue_.pop_front();
}

std::vector<waiter> avatar_state::refuse() {
  auto refused = loads_.extract(queue_.front());
  queue_.pop_front();
  auto& [waiters, late, moved_to] = refused.mapped();
  append(waiters, std::move(late));
  return std::move(waiters);
}

avatar_state::ended_load avatar_state::end(const avatars_loaded& loaded) {
  loading_.reset();
  auto found = loads_.extract(loaded.game_id);
  if (found.empty()) return {};
  auto& [waiters, late, moved_to] = found.mapped();
  ended_load ended{std::move(waiters), loaded.revision >= moved_to};
  if (ended.is_current || loaded.failure) {
    append(ended.waiters, std::move(late));
  } else if (!late.empty()) {
    loads_[loaded.game_id].waiters = std::move(late);
    queue_.push_back(loaded.game_id);
  }
  return ended;
}

std::shared_ptr<const list_offer> avatar_state::keep(const avatars_loaded& loaded) {
  auto offer = std::make_shared<const list_offer>(loaded.game_id, loaded.json);
  cache_.put(loaded.game_id, {standing_offer{offer}, loaded.revision},
             loaded.json->capacity() + cache_entry_overhead_bytes);
  count_cached_bytes();
  return offer;
}

void avatar_state::forget_all() {
  cache_.clear();
  count_cached_bytes();
}

void avatar_state::on(const store::moved_games& moved) {
  if (moved.all) {
    cache_.clear();
    if (loading_) loads_[*loading_].moved_to = INT64_MAX;
  }
  for (const auto& each : moved.games)
    forget(each);
  count_cached_bytes();
}

void avatar_state::forget(const store::game_revision& moved) {
  if (const auto* cached = cache_.get(moved.game_id); cached && cached->revision < moved.revision)
    cache_.erase(moved.game_id);
  // A load that has not begun will see the change.
  if (loading_ != moved.game_id) return;
  auto& under_way = loads_[moved.game_id];
  under_way.moved_to = std::max(under_way.moved_to, moved.revision);
}

void avatar_state::clear() {
  forget_all();
  loads_.clear();
  queue_.clear();
}

void avatar_state::count_cached_bytes() {
  const auto now = cache_.used_bytes();
  metrics_->cached_bytes.add(static_cast<std::int64_t>(now) -
                             static_cast<std::int64_t>(counted_bytes_));
  counted_bytes_ = now;
}

} // namespace matchcloud::actors
