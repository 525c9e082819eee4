#include "store/exports/export_ledger.hpp"

namespace matchcloud::store {

base::expected<void> export_ledger::check_another(const model::uuid& game_id) {
  const std::lock_guard lock{mutex_};
  return room_.check_another(game_id);
}

base::expected<void> export_ledger::take(const model::uuid& game_id, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  return room_.take(game_id, bytes);
}

void export_ledger::give_back(const model::uuid& game_id, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  room_.remove(game_id, {0, bytes});
}

void export_ledger::record(const model::uuid& export_id, const model::uuid& game_id,
                           std::uint64_t bytes, std::uint64_t taken) {
  const std::lock_guard lock{mutex_};
  const auto [known, added] = finished_.try_emplace(export_id);
  if (!added) room_.remove(known->second.game_id, {1, known->second.bytes});
  room_.remove(game_id, {0, taken});
  room_.add(game_id, {1, bytes});
  known->second = {game_id, bytes};
}

void export_ledger::forget(const model::uuid& export_id) {
  const std::lock_guard lock{mutex_};
  const auto known = finished_.find(export_id);
  if (known == finished_.end()) return;
  room_.remove(known->second.game_id, {1, known->second.bytes});
  finished_.erase(known);
}

std::vector<model::uuid> export_ledger::recorded() const {
  const std::lock_guard lock{mutex_};
  std::vector<model::uuid> ids;
  ids.reserve(finished_.size());
  for (const auto& [id, each] : finished_)
    ids.push_back(id);
  return ids;
}

std::uint64_t export_ledger::used_bytes() const {
  const std::lock_guard lock{mutex_};
  return room_.used().bytes;
}

std::uint64_t export_ledger::refused_by_share() const {
  const std::lock_guard lock{mutex_};
  return room_.refused_by_share();
}

} // namespace matchcloud::store
