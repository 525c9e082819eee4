#pragma once

#include "store/database.hpp"
#include "store/housekeeping/retention.hpp"

#include <chrono>
#include <cstdint>

namespace matchcloud::store {

/// How far the clock may be ahead of what was last known to be the time.
inline constexpr std::chrono::days clock_doubted_from{7};
/// Fewer lobbies of a game expire whatever their share.
inline constexpr std::uint64_t share_counts_from = 100;

/// Whether a run of expiry has to wait for an operator, because a wrong clock, a restored store or
/// a wrong setting would remove much of the history. One thread; calls wait for the store, and
/// throw what it fails with.
class expiry_check {
public:
  /// `in` outlives this.
  static expiry_check begin(database& in, std::int64_t now_ms);

  /// Whether an operator has confirmed all that is due since the last run.
  bool is_confirmed() const noexcept { return is_confirmed_; }
  /// Whether the clock is far ahead of the last run, or, before the first one, of the newest lobby;
  /// unless that is confirmed.
  bool doubts_clock() const noexcept;
  /// The time that it is compared with, in milliseconds since 1970; 0: none is known.
  std::int64_t known_ms() const noexcept { return known_ms_; }
  /// Whether more of a game's lobbies are due than the share, and neither was that confirmed since
  /// the last run nor the game's retention set.
  bool is_too_much(const game_retention& of, std::uint64_t share_percent) const;

private:
  expiry_check(database& in, std::int64_t now_ms) : in_{&in}, now_ms_{now_ms} {}

  bool has_newly_set(const model::uuid& game_id) const;

  database* in_;
  std::int64_t now_ms_;
  /// The last run's time; 0: there was none.
  std::int64_t last_ms_ = 0;
  std::int64_t known_ms_ = 0;
  bool is_confirmed_ = false;
};

} // namespace matchcloud::store
