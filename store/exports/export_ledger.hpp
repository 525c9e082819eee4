#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/export_records.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

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

/// Accounts for what the exports of each game use of their bounds: the sizes of finished exports,
/// and the bytes taken for unfinished ones. Any thread.
class export_ledger {
public:
  explicit export_ledger(export_bounds bounds) noexcept : bounds_{bounds} {}

  /// Whether another export of the game, and a byte of it, fits. Fails with `exports_full`.
  base::expected<void> check_another(const model::uuid& game_id);
  /// Takes bytes for an export of the game, up to exactly the bounds. Fails with `exports_full`,
  /// and takes nothing, if they exceed one.
  base::expected<void> take(const model::uuid& game_id, std::uint64_t bytes);
  void give_back(const model::uuid& game_id, std::uint64_t bytes);

  // -- finished exports that are known one by one -----------------------------

  /// Sets the game and the size of a finished export, replacing any earlier record; `taken` of the
  /// bytes were taken before.
  void record(const model::uuid& export_id, const model::uuid& game_id, std::uint64_t bytes,
              std::uint64_t taken = 0);
  void forget(const model::uuid& export_id);
  std::vector<model::uuid> recorded() const;

  // -- finished exports that are known by game --------------------------------

  /// Sets what all finished exports use.
  void recount(export_usages finished);
  /// Adds an export whose bytes were taken.
  void add_finished(const model::uuid& game_id, std::uint64_t bytes);
  /// At most what the game has is removed.
  void remove_finished(const model::uuid& game_id, std::uint64_t bytes);

  std::uint64_t used_bytes() const;
  /// How often a game's share was the reason of a refusal.
  std::uint64_t refused_by_share() const;

private:
  struct finished_export {
    model::uuid game_id;
    std::uint64_t bytes = 0;
  };

  // All functions below require that `mutex_` is held.
  export_usage used_by(const model::uuid& game_id) const;
  tl::unexpected<base::error> refuse_share();
  void add(const model::uuid& game_id, const export_usage& what);
  void remove(const model::uuid& game_id, const export_usage& what);

  export_bounds bounds_;
  mutable std::mutex mutex_;
  /// Finished and unfinished exports.
  export_usage used_;
  std::unordered_map<model::uuid, export_usage> by_game_;
  std::unordered_map<model::uuid, finished_export> recorded_;
  export_usages finished_;
  std::uint64_t refused_by_share_ = 0;
};

/// Bytes taken from a ledger for an unfinished file, given back with this object.
class taken_bytes {
public:
  taken_bytes(export_ledger& ledger, const model::uuid& game_id) noexcept
      : ledger_{&ledger}, game_id_{game_id} {}
  taken_bytes(const taken_bytes&) = delete;
  taken_bytes& operator=(const taken_bytes&) = delete;
  ~taken_bytes() { ledger_->give_back(game_id_, bytes_); }

  base::expected<void> take(std::uint64_t more);
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// They are of a finished file from now on. Returns how many.
  std::uint64_t keep() noexcept;

private:
  export_ledger* ledger_;
  model::uuid game_id_;
  std::uint64_t bytes_ = 0;
};

} // namespace matchcloud::store
