#include "store/exports/export_room.hpp"

#include "store/exports/export_store.hpp"

#include <algorithm>
#include <string>

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

base::expected<void> export_room::check_another(const model::uuid& game_id) {
  if (used_.bytes >= bounds_.limit_bytes || used_.count >= bounds_.limit_exports)
    return exports_full();
  const auto of_game = used_by(game_id);
  if (of_game.bytes >= bounds_.game_limit_bytes() || of_game.count >= bounds_.game_limit_exports())
    return refuse_share();
  return {};
}

base::expected<void> export_room::take(const model::uuid& game_id, std::uint64_t bytes) {
  if (!fits(used_.bytes, bytes, bounds_.limit_bytes)) return exports_full();
  if (!fits(used_by(game_id).bytes, bytes, bounds_.game_limit_bytes())) return refuse_share();
  add(game_id, {0, bytes});
  return {};
}

tl::unexpected<base::error> export_room::refuse_share() {
  ++refused_by_share_;
  return base::fail(base::errc::exports_full,
                    "The exports of this game use its share of the space for exports (" +
                        std::to_string(bounds_.game_limit_bytes()) +
                        " bytes, export-share-percent). Retry when some of the game's export URLs "
                        "have expired, or request a shorter span.");
}

export_usage export_room::used_by(const model::uuid& game_id) const {
  const auto known = by_game_.find(game_id);
  return known == by_game_.end() ? export_usage{} : known->second;
}

void export_room::add(const model::uuid& game_id, const export_usage& what) {
  for (auto* sum : {&used_, &by_game_[game_id]}) {
    sum->count += what.count;
    sum->bytes += what.bytes;
  }
}

void export_room::remove(const model::uuid& game_id, const export_usage& what) {
  const auto known = by_game_.find(game_id);
  if (known == by_game_.end()) return;
  const export_usage gone{std::min(what.count, known->second.count),
                          std::min(what.bytes, known->second.bytes)};
  for (auto* sum : {&used_, &known->second}) {
    sum->count -= gone.count;
    sum->bytes -= gone.bytes;
  }
  if (known->second == export_usage{}) by_game_.erase(known);
}

} // namespace matchcloud::store
