#pragma once

#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {

/// Accounts for the bytes that exports use against their limit: the sizes of finished exports by
/// id, and the bytes taken for unfinished ones. Any thread.
class export_ledger {
public:
  export_ledger(std::uint64_t limit_bytes, std::size_t limit_exports) noexcept
      : limit_bytes_{limit_bytes}, limit_exports_{limit_exports} {}

  /// Whether not a single further byte, or not a single further export, fits.
  bool is_full() const;
  /// Takes bytes for an unfinished export, up to exactly the limit. Returns false, and takes
  /// nothing, if they exceed it.
  bool try_take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

  /// Sets the size of a finished export, replacing any earlier record; `taken` of the bytes were
  /// taken before.
  void record(const model::uuid& export_id, std::uint64_t bytes, std::uint64_t taken = 0);
  void forget(const model::uuid& export_id);

  std::vector<model::uuid> recorded() const;
  std::uint64_t used_bytes() const;

private:
  std::uint64_t limit_bytes_;
  std::size_t limit_exports_;
  mutable std::mutex mutex_;
  /// The sum of finished and taken bytes.
  std::uint64_t used_bytes_ = 0;
  std::unordered_map<model::uuid, std::uint64_t> finished_;
};

} // namespace matchcloud::store
