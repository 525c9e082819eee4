#pragma once

#include "base/randomness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace matchcloud::store {

/// Maps some nodes of a tree to entries, by open addressing. Few nodes of a real tree begin a
/// block, so this takes less memory than an array for all nodes. One thread at a time.
class node_entries {
public:
  std::optional<std::uint32_t> find(std::uint32_t node) const noexcept {
    if (slots_.empty()) return std::nullopt;
    const auto& found = slots_[position_of(node)];
    return found.node == node ? std::optional{found.entry} : std::nullopt;
  }

  /// `node`: below 2^32 - 1.
  void set(std::uint32_t node, std::uint32_t entry) {
    if ((used_ + 1) * 4 > slots_.size() * 3) grow();
    auto& place = slots_[position_of(node)];
    if (place.node != node) ++used_;
    place = {node, entry};
  }

private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::size_t least_slots = 64;

  struct slot {
    std::uint32_t node = none;
    std::uint32_t entry = 0;
  };

  /// Where the node is, or would be. Some slot is free, so this ends.
  std::size_t position_of(std::uint32_t node) const noexcept {
    const auto mask = slots_.size() - 1;
    auto at = static_cast<std::size_t>(node * factor_ >> 32U) & mask;
    while (slots_[at].node != node && slots_[at].node != none)
      at = (at + 1) & mask;
    return at;
  }

  void grow() {
    const auto before =
        std::exchange(slots_, std::vector<slot>(slots_.empty() ? least_slots : 2 * slots_.size()));
    for (const auto& each : before)
      if (each.node != none) slots_[position_of(each.node)] = each;
  }

  /// Odd and random, so that a file cannot be made with nodes that collide (multiplicative hashing,
  /// Knuth, The Art of Computer Programming 3, 6.4).
  std::uint64_t factor_ = base::random_seed() | 1U;
  /// A power of two; at most three of four are used.
  std::vector<slot> slots_;
  std::size_t used_ = 0;
};

} // namespace matchcloud::store
