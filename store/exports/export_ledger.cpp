#include "store/exports/export_ledger.hpp"

#include "store/exports/export_store.hpp"

#include <spdlog/fmt/fmt.h>

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
  by_game_[game_id].taken_bytes += bytes;
  used_.bytes += bytes;
  return {};
}

void export_ledger::give_back(const model::uuid& game_id, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock{mutex_};
  by_game_[game_id].taken_bytes -= bytes;
  used_.bytes -= bytes;
}

void export_ledger::recount(const export_usages& finished) {
  const std::lock_guard lock{mutex_};
  for (auto& [game_id, uses] : by_game_)
    uses.finished = {};
  for (const auto& [game_id, usage] : finished)
    by_game_[game_id].finished = usage;
  std::erase_if(by_game_, [](const auto& each) { return each.second == game_uses{}; });
  used_ = {};
  for (const auto& [game_id, uses] : by_game_) {
    used_.count += uses.finished.count;
    used_.bytes += uses.finished.bytes + uses.taken_bytes;
  }
}

void export_ledger::add_finished(const model::uuid& game_id, const export_usage& what) {
  const std::lock_guard lock{mutex_};
  auto& uses = by_game_[game_id];
  uses.finished.count += what.count;
  uses.finished.bytes += what.bytes;
  uses.taken_bytes -= what.bytes;
  used_.count += what.count;
}

void export_ledger::remove_finished(const model::uuid& game_id, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  const auto known = by_game_.find(game_id);
  if (known == by_game_.end() || known->second.finished.count == 0) return;
  auto& finished = known->second.finished;
  const auto gone = std::min(bytes, finished.bytes);
  --finished.count;
  finished.bytes -= gone;
  --used_.count;
  used_.bytes -= gone;
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
                    fmt::format("The exports of this game use its whole share of the export space "
                                "({} bytes, export-share-percent). Retry when some of the game's "
                                "export URLs have expired, or request a shorter span.",
                                bounds_.game_limit_bytes()));
}

export_usage export_ledger::used_by(const model::uuid& game_id) const {
  const auto known = by_game_.find(game_id);
  if (known == by_game_.end()) return {};
  const auto& [finished, taken_bytes] = known->second;
  return {finished.count, finished.bytes + taken_bytes};
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
