#include "actors/avatar/avatar_state.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::actors {

namespace {

void append(std::vector<waiter>& to, std::vector<waiter>&& more) {
  for (auto& each : more)
    to.push_back(std::move(each));
}

} // namespace

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

std::vector<waiter> avatar_state::end(const avatars_loaded& loaded) {
  loading_.reset();
  auto found = loads_.extract(loaded.game_id);
  if (found.empty()) return {};
  auto& [waiters, late, moved_to] = found.mapped();
  if (loaded.failure || loaded.list.revision >= moved_to) {
    append(waiters, std::move(late));
  } else if (!late.empty()) {
    loads_[loaded.game_id].waiters = std::move(late);
    queue_.push_back(loaded.game_id);
  }
  return std::move(waiters);
}

void avatar_state::on(const store::moved_games& moved) {
  if (!loading_) return;
  auto& moved_to = loads_[*loading_].moved_to;
  if (moved.all) moved_to = INT64_MAX;
  for (const auto& each : moved.games)
    if (each.game_id == *loading_) moved_to = std::max(moved_to, each.revision);
}

void avatar_state::clear() {
  loads_.clear();
  queue_.clear();
}

} // namespace matchcloud::actors
