#pragma once

#include "base/expected.hpp"
#include "model/text/uuid.hpp"
#include "store/exports/export_room.hpp"

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {

/// Accounts for the bytes that exports use against their bounds: the sizes of finished exports by
/// id, and the bytes taken for unfinished ones. Any thread.
class export_ledger {
public:
  explicit export_ledger(export_bounds bounds) noexcept : room_{bounds} {}

  /// As those of `export_room`.
  base::expected<void> check_another(const model::uuid& game_id);
  base::expected<void> take(const model::uuid& game_id, std::uint64_t bytes);
  void give_back(const model::uuid& game_id, std::uint64_t bytes);

  /// Sets the game and the size of a finished export, replacing any earlier record; `taken` of the
  /// bytes were taken before.
  void record(const model::uuid& export_id, const model::uuid& game_id, std::uint64_t bytes,
              std::uint64_t taken = 0);
  void forget(const model::uuid& export_id);

  std::vector<model::uuid> recorded() const;
  std::uint64_t used_bytes() const;
  std::uint64_t refused_by_share() const;

private:
  struct finished_export {
    model::uuid game_id;
    std::uint64_t bytes = 0;
  };

  mutable std::mutex mutex_;
  export_room room_;
  std::unordered_map<model::uuid, finished_export> finished_;
};

} // namespace matchcloud::store
