#pragma once

#include "model/text/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace matchcloud::store {

/// How many bytes exports take, against how many they may. Counts what finished exports have, by
/// their id, and what was taken for unfinished ones. Any thread.
class export_ledger {
public:
  export_ledger(std::uint64_t limit_bytes, std::size_t limit_exports) noexcept
      : limit_bytes_{limit_bytes}, limit_exports_{limit_exports} {}

  /// Not a byte more, or not an export more.
  bool is_full() const;
  /// Takes bytes for what is unfinished, up to exactly the limit; false, and nothing taken, beyond.
  bool try_take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes);

  /// Whatever was recorded of the export, these are its bytes; `taken` of them were taken before.
  void record(const model::uuid& export_id, std::uint64_t bytes, std::uint64_t taken = 0);
  void forget(const model::uuid& export_id);

  std::vector<model::uuid> recorded() const;
  std::uint64_t used_bytes() const;

private:
  std::uint64_t limit_bytes_;
  std::size_t limit_exports_;
  mutable std::mutex mutex_;
  /// All together.
  std::uint64_t used_bytes_ = 0;
  std::unordered_map<model::uuid, std::uint64_t> finished_;
};

} // namespace matchcloud::store
