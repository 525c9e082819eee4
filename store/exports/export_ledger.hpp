#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/export_records.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace matchcloud::store {

/// The limit on finished exports, regardless of their size.
inline constexpr std::size_t export_count_limit = 100'000;

/// The limits on the exports of all games together.
struct export_bounds {
  // NOLINTNEXTLINE(google-explicit-constructor): most callers bound only the bytes
  export_bounds(std::uint64_t bytes, std::size_t share_percent = 100,
                std::size_t exports = export_count_limit) noexcept
      : limit_bytes{bytes}, limit_exports{exports}, game_share_percent{share_percent} {}

  std::uint64_t limit_bytes;
  std::size_t limit_exports;
  /// The percentage of both bounds that one game may use.
  std::size_t game_share_percent;

  std::uint64_t game_limit_bytes() const noexcept;
  /// At least 1.
  std::size_t game_limit_exports() const noexcept;
};

/// Accounts for each game's use of the bounds: the sizes of finished exports, and the bytes taken
/// for unfinished ones. Any thread.
class export_ledger {
public:
  explicit export_ledger(export_bounds bounds) noexcept : bounds_{bounds} {}

  /// Checks that another export of the game, with at least one byte, fits. Fails with
  /// `exports_full`.
  base::expected<void> check_another(const model::uuid& game_id);
  /// Takes bytes for an export of the game; the bounds can be used up exactly. Fails with
  /// `exports_full`, and takes nothing, if they exceed one.
  base::expected<void> take(const model::uuid& game_id, std::uint64_t bytes);
  void give_back(const model::uuid& game_id, std::uint64_t bytes);

  /// Sets what all finished exports use.
  void recount(const export_usages& finished);
  /// Adds an export, or more bytes of one, whose bytes were taken.
  void add_finished(const model::uuid& game_id, const export_usage& what);
  /// Removes at most what the game has.
  void remove_finished(const model::uuid& game_id, std::uint64_t bytes);

  std::uint64_t used_bytes() const;
  /// How often a request was refused because of a game's share.
  std::uint64_t refused_by_share() const;

private:
  /// What a game uses: finished exports, and the bytes of unfinished ones.
  struct game_uses {
    export_usage finished;
    std::uint64_t taken_bytes = 0;

    friend bool operator==(const game_uses&, const game_uses&) = default;
  };

  // Both require that `mutex_` is held.
  export_usage used_by(const model::uuid& game_id) const;
  tl::unexpected<base::error> refuse_share();

  export_bounds bounds_;
  mutable std::mutex mutex_;
  /// The sum of what all games use.
  export_usage used_;
  std::unordered_map<model::uuid, game_uses> by_game_;
  std::uint64_t refused_by_share_ = 0;
};

/// Bytes taken from a ledger for an unfinished file, returned when this object is destroyed.
class taken_bytes {
public:
  taken_bytes(export_ledger& ledger, const model::uuid& game_id) noexcept
      : ledger_{&ledger}, game_id_{game_id} {}
  taken_bytes(const taken_bytes&) = delete;
  taken_bytes& operator=(const taken_bytes&) = delete;
  ~taken_bytes() { ledger_->give_back(game_id_, bytes_); }

  base::expected<void> take(std::uint64_t more);
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// From now on the bytes belong to a finished file. Returns their number.
  std::uint64_t keep() noexcept;

private:
  export_ledger* ledger_;
  model::uuid game_id_;
  std::uint64_t bytes_ = 0;
};

} // namespace matchcloud::store
