#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace matchcloud::store {

/// A set of record offsets in a section of bytes, with the rank of each, so that data about records
/// can be stored in a plain array. Stores one bit per byte and a count for every 32, a quarter of
/// the section's size regardless of the offsets. (For real files a hash table would be no smaller,
/// and a hostile file could make it slow.) After `count` it is immutable, so any thread may query
/// it.
class offset_set {
public:
  offset_set() = default;
  /// A set for offsets below `limit`.
  explicit offset_set(std::size_t limit) : blocks_((limit + block_bits - 1) / block_bits) {}

  /// Inserts `offset`, which must be below the limit; inserting it again has no effect.
  void insert(std::uint32_t offset) noexcept {
    blocks_[offset / block_bits].members |= bit_of(offset);
  }

  /// Calls `keep(offset)` in ascending order and removes the offsets for which it returns false.
  /// Call this before `count`.
  template <class Keep>
  void filter(Keep keep) {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      for (auto left = blocks_[i].members; left != 0; left &= left - 1) {
        const auto lowest = static_cast<std::uint32_t>(std::countr_zero(left));
        if (!keep(static_cast<std::uint32_t>(i * block_bits) + lowest))
          blocks_[i].members &= ~(1U << lowest);
      }
  }

  /// Prepares `rank`. Call this after the last change to the set.
  void count() noexcept {
    std::uint32_t before = 0;
    for (auto& each : blocks_) {
      each.before = before;
      before += static_cast<std::uint32_t>(std::popcount(each.members));
    }
  }

  /// How many members are below `offset`, if `offset` is a member.
  std::optional<std::uint32_t> rank(std::uint32_t offset) const noexcept {
    if (offset / block_bits >= blocks_.size()) return std::nullopt;
    const auto& [members, before] = blocks_[offset / block_bits];
    const auto bit = bit_of(offset);
    if ((members & bit) == 0) return std::nullopt;
    return before + static_cast<std::uint32_t>(std::popcount(members & (bit - 1)));
  }

  /// How many members there are. O(limit).
  std::size_t size() const noexcept {
    std::size_t members = 0;
    for (const auto& each : blocks_)
      members += static_cast<std::size_t>(std::popcount(each.members));
    return members;
  }

  std::size_t bytes() const noexcept { return blocks_.size() * sizeof(block); }

private:
  static constexpr std::uint32_t block_bits = 32;

  struct block {
    std::uint32_t members = 0;
    std::uint32_t before = 0;
  };

  static constexpr std::uint32_t bit_of(std::uint32_t offset) noexcept {
    return 1U << offset % block_bits;
  }

  std::vector<block> blocks_;
};

} // namespace matchcloud::store
