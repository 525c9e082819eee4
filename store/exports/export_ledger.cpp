#include "store/exports/export_ledger.hpp"

#include "store/exports/export_store.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace matchcloud::store {

namespace {

/// Rounded down, without an overflow.
constexpr std::uint64_t percent_of(std::uint64_t whole, std::size_t percent) noexcept {
  return whole / 100 * percent + whole % 100 * percent / 100;
}

/// Whether `more` bytes fit. Other processes may have gone beyond the limit.
constexpr bool fits(std::uint64_t used, std::uint64_t more, std::uint64_t limit) noexcept {
  return used <= limit && more <= limit - used;
}

void add_to(export_usage& sum, const export_usage& what) noexcept {
  sum.count += what.count;
  sum.bytes += what.bytes;
}

/// Subtracts at most what `sum` has. Returns what was subtracted.
export_usage remove_from(export_usage& sum, const export_usage& what) noexcept {
  const export_usage gone{std::min(what.count, sum.count), std::min(what.bytes, sum.bytes)};
  sum.count -= gone.count;
  sum.bytes -= gone.bytes;
  return gone;
}

} // namespace

std::uint64_t export_bounds::game_limit_bytes() const noexcept {
  return percent_of(limit_bytes, game_share_percent);
}

std::size_t export_bounds::game_limit_exports() const noexcept {
  return std::max<std::size_t>(1, percent_of(limit_exports, game_share_percent));
}

base::expected<void> export_ledger::check_another(const model::uuid& game_id) {
  const std::lock_guard lock{mutex_};
  if (used_.bytes >= bounds_.limit_bytes || used_.count >= bounds_.limit_exports)
    return exports_full();
  const auto of_game = used_by(game_id);
  if (of_game.bytes >= bounds_.game_limit_bytes() || of_game.count >= bounds_.game_limit_exports())
    return refuse_share();
  return {};
}

base::expected<void> export_ledger::take(const model::uuid& game_id, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  if (!fits(used_.bytes, bytes, bounds_.limit_bytes)) return exports_full();
  if (!fits(used_by(game_id).bytes, bytes, bounds_.game_limit_bytes())) return refuse_share();
  add(game_id, {0, bytes});
  return {};
}

void export_ledger::give_back(const model::uuid& game_id, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  remove(game_id, {0, bytes});
}

void export_ledger::record(const model::uuid& export_id, const model::uuid& game_id,
                           std::uint64_t bytes, std::uint64_t taken) {
  const std::lock_guard lock{mutex_};
  const auto [known, added] = recorded_.try_emplace(export_id);
  if (!added) remove(known->second.game_id, {1, known->second.bytes});
  remove(game_id, {0, taken});
  add(game_id, {1, bytes});
  known->second = {game_id, bytes};
}

void export_ledger::forget(const model::uuid& export_id) {
  const std::lock_guard lock{mutex_};
  const auto known = recorded_.extract(export_id);
  if (!known.empty()) remove(known.mapped().game_id, {1, known.mapped().bytes});
}

std::vector<model::uuid> export_ledger::recorded() const {
  const std::lock_guard lock{mutex_};
  std::vector<model::uuid> ids;
  ids.reserve(recorded_.size());
  for (const auto& [id, each] : recorded_)
    ids.push_back(id);
  return ids;
}

void export_ledger::recount(export_usages finished) {
  const std::lock_guard lock{mutex_};
  for (const auto& [game_id, usage] : finished_)
    remove(game_id, usage);
  finished_ = std::move(finished);
  for (const auto& [game_id, usage] : finished_)
    add(game_id, usage);
}

void export_ledger::add_finished(const model::uuid& game_id, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  add_to(finished_[game_id], {1, bytes});
  add(game_id, {1, 0});
}

void export_ledger::remove_finished(const model::uuid& game_id, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  const auto known = finished_.find(game_id);
  if (known != finished_.end() && known->second.count > 0)
    remove(game_id, remove_from(known->second, {1, bytes}));
}

std::uint64_t export_ledger::used_bytes() const {
  const std::lock_guard lock{mutex_};
  return used_.bytes;
}

std::uint64_t export_ledger::refused_by_share() const {
  const std::lock_guard lock{mutex_};
  return refused_by_share_;
}

tl::unexpected<base::error> export_ledger::refuse_share() {
  ++refused_by_share_;
  return base::fail(base::errc::exports_full,
                    "The exports of this game use its whole share of the export space (" +
                        std::to_string(bounds_.game_limit_bytes()) +
                        " bytes, export-share-percent). Retry when some of the game's export URLs "
                        "have expired, or request a shorter span.");
}

export_usage export_ledger::used_by(const model::uuid& game_id) const {
  const auto known = by_game_.find(game_id);
  return known == by_game_.end() ? export_usage{} : known->second;
}

void export_ledger::add(const model::uuid& game_id, const export_usage& what) {
  add_to(used_, what);
  add_to(by_game_[game_id], what);
}

void export_ledger::remove(const model::uuid& game_id, const export_usage& what) {
  const auto known = by_game_.find(game_id);
  if (known == by_game_.end()) return;
  remove_from(used_, remove_from(known->second, what));
  if (known->second == export_usage{}) by_game_.erase(known);
}

base::expected<void> taken_bytes::take(std::uint64_t more) {
  auto taken = ledger_->take(game_id_, more);
  if (taken) bytes_ += more;
  return taken;
}

std::uint64_t taken_bytes::keep() noexcept {
  return std::exchange(bytes_, 0);
}

} // namespace matchcloud::store
