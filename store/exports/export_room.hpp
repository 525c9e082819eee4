#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/export_records.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace matchcloud::store {

/// The limit on finished exports, regardless of their size.
inline constexpr std::size_t export_count_limit = 100'000;

/// The limits on the exports of all games together.
struct export_bounds {
  // NOLINTNEXTLINE(google-explicit-constructor): most have no other bound than that of bytes
  export_bounds(std::uint64_t bytes, std::size_t share_percent = 100,
                std::size_t exports = export_count_limit) noexcept
      : limit_bytes{bytes}, limit_exports{exports}, game_share_percent{share_percent} {}

  std::uint64_t limit_bytes;
  std::size_t limit_exports;
  /// The percentage of both that one game may use: its exports fill its own part only.
  std::size_t game_share_percent;

  std::uint64_t game_limit_bytes() const noexcept;
  /// At least 1.
  std::size_t game_limit_exports() const noexcept;
};

/// What the exports of each game, finished and unfinished, use of their bounds. Not thread-safe:
/// its holder locks it.
class export_room {
public:
  explicit export_room(export_bounds bounds) noexcept : bounds_{bounds} {}

  /// Whether another export of the game, and a byte of it, fits. Fails with `exports_full`.
  base::expected<void> check_another(const model::uuid& game_id);
  /// Takes bytes for an export of the game, up to exactly the bounds. Fails with `exports_full`,
  /// and takes nothing, if they exceed one.
  base::expected<void> take(const model::uuid& game_id, std::uint64_t bytes);

  /// Adds what is there already, whatever the bounds.
  void add(const model::uuid& game_id, const export_usage& what);
  /// At most what the game has is removed.
  void remove(const model::uuid& game_id, const export_usage& what);

  const export_usage& used() const noexcept { return used_; }
  /// How often a game's share was the reason of a refusal.
  std::uint64_t refused_by_share() const noexcept { return refused_by_share_; }

private:
  export_usage used_by(const model::uuid& game_id) const;
  tl::unexpected<base::error> refuse_share();

  export_bounds bounds_;
  export_usage used_;
  std::unordered_map<model::uuid, export_usage> by_game_;
  std::uint64_t refused_by_share_ = 0;
};

} // namespace matchcloud::store
