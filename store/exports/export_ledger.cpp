#include "store/exports/export_ledger.hpp"

namespace matchcloud::store {

bool export_ledger::is_full() const {
  const std::lock_guard lock{mutex_};
  return used_bytes_ >= limit_bytes_ || finished_.size() >= limit_exports_;
}

bool export_ledger::try_take(std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  // Exports finished by other processes may have exceeded the limit.
  if (used_bytes_ > limit_bytes_ || bytes > limit_bytes_ - used_bytes_) return false;
  used_bytes_ += bytes;
  return true;
}

void export_ledger::give_back(std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  used_bytes_ -= bytes;
}

void export_ledger::record(const model::uuid& export_id, std::uint64_t bytes, std::uint64_t taken) {
  const std::lock_guard lock{mutex_};
  auto& known = finished_[export_id];
  used_bytes_ += bytes;
  used_bytes_ -= known + taken;
  known = bytes;
}

void export_ledger::forget(const model::uuid& export_id) {
  const std::lock_guard lock{mutex_};
  const auto known = finished_.find(export_id);
  if (known == finished_.end()) return;
  used_bytes_ -= known->second;
  finished_.erase(known);
}

std::vector<model::uuid> export_ledger::recorded() const {
  const std::lock_guard lock{mutex_};
  std::vector<model::uuid> ids;
  ids.reserve(finished_.size());
  for (const auto& [id, bytes] : finished_)
    ids.push_back(id);
  return ids;
}

std::uint64_t export_ledger::used_bytes() const {
  const std::lock_guard lock{mutex_};
  return used_bytes_;
}

} // namespace matchcloud::store
